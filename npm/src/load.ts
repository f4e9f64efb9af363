/* Decodes and starts the embedded module. */

import { inflateSync } from "fflate";

/** Decodes and inflates the embedded module, and starts it. */
export function decode<T>({ text, size }: { text: string; size: number }, start: (module: Uint8Array<ArrayBuffer>) => T): T {
  return guarded(() => start(inflateSync(bytesOf(text), { out: new Uint8Array(size) })));
}

interface Base64 {
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/** Decodes base64. In Node.js `atob` would take most of the start time, `Buffer` takes almost none. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as Base64;
  if (typeof Buffer?.from === "function") return Buffer.from(text, "base64");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Starts the module; an error names what the environment lacks or forbids. */
export function guarded<T>(start: () => T): T {
  if (typeof WebAssembly !== "object") throw new Error("deltafold needs WebAssembly, which this environment does not have");
  try {
    return start();
  } catch (cause) {
    throw new Error("deltafold cannot compile its wasm; a page with a script policy needs 'wasm-unsafe-eval'", { cause });
  }
}
