/* Starting the module, with an error that says what a page must allow. */

import { inflate } from "./inflate.js";

/** Decodes base64, inflates what it holds, and starts the module that comes out. */
export function decode<T>({ text, size }: { text: string; size: number }, start: (module: Uint8Array<ArrayBuffer>) => T): T {
  return guarded(() => start(inflate(bytesOf(text), size)));
}

interface Base64 {
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/** `atob` is fast in browsers; in Node.js it takes most of the start, and its `Buffer` takes next to nothing. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as Base64;
  if (typeof Buffer?.from === "function") return Buffer.from(text, "base64");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Starts the module. */
export function guarded<T>(start: () => T): T {
  if (typeof WebAssembly !== "object") throw new Error("deltafold needs WebAssembly, which this environment does not have");
  try {
    return start();
  } catch (cause) {
    throw new Error("deltafold cannot compile its wasm; a page with a script policy needs 'wasm-unsafe-eval'", { cause });
  }
}
