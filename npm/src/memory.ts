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

/** Takes the exports of the module, once it runs. */
export function attach(exports: { memory: WebAssembly.Memory }): void {
  memory = exports.memory;
  refresh();
}

/** The memory as bytes; good until the next call into the module. */
export function byteView(): Uint8Array {
  if (bytes.byteLength === 0) refresh();
  return bytes;
}

/** The memory as 32-bit words; good until the next call into the module. */
export function wordView(): Uint32Array {
  if (words.byteLength === 0) refresh();
  return words;
}

/** The text at a place of the memory. */
export function textAt(start: number, length: number, ascii: boolean): string {
  if (bytes.byteLength === 0) refresh();
  if (buffer === null) return UTF8.decode(bytes.subarray(start, start + length));
  return ascii ? buffer.latin1Slice(start, start + length) : buffer.utf8Slice(start, start + length);
}

function refresh(): void {
  if (!memory) throw new Error("deltafold is not loaded; with deltafold/slim, await init() first");
  bytes = new Uint8Array(memory.buffer);
  words = new Uint32Array(memory.buffer);
  const made = (globalThis as Host).Buffer?.from(memory.buffer);
  buffer = typeof made?.latin1Slice === "function" && typeof made.utf8Slice === "function" ? made : null;
}
