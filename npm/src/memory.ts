/* Views of the wasm module's memory. They are detached when the memory grows, so every access after a call checks them. */

import { startModule } from "./start.js";

let memory: WebAssembly.Memory | undefined;
let bytes = new Uint8Array();
let words = new Uint32Array();
let buffer: Buffer | null = null;

/** The methods of a Node.js `Buffer` that decode strings, in a quarter of the time of a `TextDecoder`. */
interface Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
}

interface Host {
  Buffer?: { from(memory: ArrayBuffer): Buffer };
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Starts the module unless it already runs. Every call that may be the first one into the module must call this before. */
export function ensureStarted(): void {
  if (memory === undefined) attach(startModule());
}

/** True if the module runs. */
export function isStarted(): boolean {
  return memory !== undefined;
}

/** The size of the module's memory, which never shrinks. */
export function memoryBytes(): number {
  return memory!.buffer.byteLength;
}

/** The exports of the running module that are called here directly. */
export interface Exports {
  memory: WebAssembly.Memory;
  reader_feed(reader: number, length: number, most: number): number;
  reader_more(reader: number, most: number): number;
}

/** Stores the exports of the running module. */
export function attach(exports: Exports): void {
  memory = exports.memory;
  feed = exports.reader_feed;
  more = exports.reader_more;
  refresh();
}

/** The memory as 32-bit words; valid until the next call into the module. */
export function wordView(): Uint32Array {
  if (words.length === 0) refresh();
  return words;
}

/** Decodes the text at an address. */
export function textAt(start: number, length: number, ascii: boolean): string {
  if (bytes.length === 0) refresh();
  if (ascii && length <= SHORT) return short(start, length);
  if (buffer === null) return UTF8.decode(bytes.subarray(start, start + length));
  return ascii ? buffer.latin1Slice(start, start + length) : buffer.utf8Slice(start, start + length);
}

/** Bytes copied out of the memory. With a Node.js `Buffer`, a string with one character per byte: cheaper to make and to collect. */
export type Bytes = Uint8Array | string;

export function bytesAt(start: number, length: number): Bytes {
  if (bytes.length === 0) refresh();
  return buffer === null ? bytes.slice(start, start + length) : buffer.latin1Slice(start, start + length);
}

/** Decodes a range of bytes as UTF-8. */
export function utf8(bytes: Bytes, start: number, end: number): string {
  if (typeof bytes !== "string") return UTF8.decode(bytes.subarray(start, end));
  const part = bytes.slice(start, end);
  return /^[\x00-\x7f]*$/.test(part) ? part : UTF8.decode(Uint8Array.from(part, (byte) => byte.charCodeAt(0)));
}

/** Up to this length, `String.fromCharCode` is faster than a call to a decoder. */
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

/** Copies a chunk to an address. */
export function put(chunk: Uint8Array, at: number): void {
  if (bytes.length === 0) refresh();
  const length = chunk.length;
  // For a few bytes a loop is faster than `set`, which checks the types of both arrays first.
  if (length <= FEW) for (let i = 0; i < length; i++) bytes[at + i] = chunk[i]!;
  else bytes.set(chunk, at);
}

const FEW = 16;

/* The module's functions for every chunk and event, stored because a lookup in the exports costs as much as the call. */
export let feed: Exports["reader_feed"];
export let more: Exports["reader_more"];

function refresh(): void {
  const { buffer: all } = memory!;
  bytes = new Uint8Array(all);
  words = new Uint32Array(all);
  const candidate = (globalThis as Host).Buffer?.from(all);
  buffer = typeof candidate?.latin1Slice === "function" && typeof candidate.utf8Slice === "function" ? candidate : null;
}
