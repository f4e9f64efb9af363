/* Views of the wasm module's memory. Growing detaches them, so they are asked for anew after every call. */

let memory: WebAssembly.Memory | undefined;
let bytes = new Uint8Array();
let words = new Uint32Array();

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

function refresh(): void {
  if (!memory) throw new Error("deltafold is not loaded; with deltafold/slim, await init() first");
  bytes = new Uint8Array(memory.buffer);
  words = new Uint32Array(memory.buffer);
}
