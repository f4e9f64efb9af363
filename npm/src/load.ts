/* Starting the module, with an error that says what a page must allow. */

/** Decodes base64, and starts the module that it holds. */
export function decode<T>(text: string, start: (module: Uint8Array<ArrayBuffer>) => T): T {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return guarded(() => start(bytes));
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
