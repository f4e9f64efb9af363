/* Decodes the embedded module, and names what the environment lacks. */

interface Base64 {
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/** Decodes base64. In Node.js `atob` would take most of the start time, `Buffer` takes almost none. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as Base64;
  if (typeof Buffer?.from === "function") return Buffer.from(text, "base64");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Inflates bytes with the engine's own code, which works in the background. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns a compiled module as one of this realm. In Next's sandbox it is of another one, and the generated code would take it for bytes. */
export function ofThisRealm<T>(module: T): T {
  const isCompiled = Object.prototype.toString.call(module) === "[object WebAssembly.Module]";
  if (isCompiled && !((module as unknown) instanceof WebAssembly.Module)) Object.setPrototypeOf(module, WebAssembly.Module.prototype);
  return module;
}

/** Starts the module; an error names what the environment lacks or forbids. */
export function guarded<T>(start: () => T): T {
  if (typeof WebAssembly !== "object") throw new Error("deltafold needs WebAssembly, which this environment does not have");
  try {
    const started = start();
    if (started instanceof Promise) return started.catch(forbidden) as T;
    return started;
  } catch (cause) {
    return forbidden(cause);
  }
}

function forbidden(cause: unknown): never {
  throw new Error("deltafold cannot compile its wasm; a page with a script policy needs 'wasm-unsafe-eval'", { cause });
}
