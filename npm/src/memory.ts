/* Views of the wasm module's memory. Growing detaches them, so they are asked for anew after every call. */

let memory: WebAssembly.Memory | undefined;
let bytes = new Uint8Array();
let words = new Uint32Array();
let buffer: Buffer | null = null;

/** What a `Buffer` has for making strings; it takes a quarter of the time of a `TextDecoder`. */
interface Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
}

interface Host {
  Buffer?: { from(memory: ArrayBuffer): Buffer };
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** What starts the module; until an entry says otherwise, the user has to. */
let start = (): void => {
  throw new Error("deltafold is not loaded; with deltafold/slim, await init() first");
};

/**
 * Says how the module is started, when it is first used: a program that imports the package may never come to that, and decoding
 * and compiling take longer than everything else about the import.
 */
export function startBy(body: () => void): void {
  start = body;
}

/** Starts the module, unless it runs already. Whatever may be the first call into it has to ask for this. */
export function started(): void {
  if (memory === undefined) start();
}

/** Takes the exports of the module, once it runs. */
export function attach(exports: { memory: WebAssembly.Memory; reader_feed(reader: number, length: number, most: number): number }): void {
  memory = exports.memory;
  feed = exports.reader_feed;
  refresh();
}

/** The memory as 32-bit words; good until the next call into the module. */
export function wordView(): Uint32Array {
  if (words.length === 0) refresh();
  return words;
}

/** The text at a place of the memory. */
export function textAt(start: number, length: number, ascii: boolean): string {
  if (bytes.length === 0) refresh();
  if (ascii && length <= SHORT) return short(start, length);
  if (buffer === null) return UTF8.decode(bytes.subarray(start, start + length));
  return ascii ? buffer.latin1Slice(start, start + length) : buffer.utf8Slice(start, start + length);
}

/** Bytes out of the memory. Where it can be had, a string with a character for each: that is cheaper to make, and to forget. */
export type Bytes = Uint8Array | string;

export function bytesAt(start: number, length: number): Bytes {
  if (bytes.length === 0) refresh();
  return buffer === null ? bytes.slice(start, start + length) : buffer.latin1Slice(start, start + length);
}

/** The text of some of such bytes. */
export function utf8(bytes: Bytes, start: number, end: number): string {
  if (typeof bytes !== "string") return UTF8.decode(bytes.subarray(start, end));
  const part = bytes.slice(start, end);
  return /^[\x00-\x7f]*$/.test(part) ? part : UTF8.decode(Uint8Array.from(part, (byte) => byte.charCodeAt(0)));
}

/** What is no longer than this is cheaper made of characters than by a call out of the engine. */
const SHORT = 8;

function short(at: number, length: number): string {
  const of = String.fromCharCode;
  const [a, b, c, d, e, f, g] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!, bytes[at + 4]!, bytes[at + 5]!, bytes[at + 6]!];
  switch (length) {
    case 0:
      return "";
    case 1:
      return of(a);
    case 2:
      return of(a, b);
    case 3:
      return of(a, b, c);
    case 4:
      return of(a, b, c, d);
    case 5:
      return of(a, b, c, d, e);
    case 6:
      return of(a, b, c, d, e, f);
    case 7:
      return of(a, b, c, d, e, f, g);
    default:
      return of(a, b, c, d, e, f, g, bytes[at + 7]!);
  }
}

/** Puts bytes at a place of the memory. */
export function put(chunk: Uint8Array, at: number): void {
  if (bytes.length === 0) refresh();
  const length = chunk.length;
  // A few bytes are put down sooner than the engine has looked at what the two arrays are.
  if (length <= FEW) for (let i = 0; i < length; i++) bytes[at + i] = chunk[i]!;
  else bytes.set(chunk, at);
}

const FEW = 16;

/** The function of the module that is called for every chunk. Looking it up among the exports costs as much as the call. */
export let feed: (reader: number, length: number, most: number) => number;

function refresh(): void {
  const { buffer: all } = memory!;
  bytes = new Uint8Array(all);
  words = new Uint32Array(all);
  const made = (globalThis as Host).Buffer?.from(all);
  buffer = typeof made?.latin1Slice === "function" && typeof made.utf8Slice === "function" ? made : null;
}
