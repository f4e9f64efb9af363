/* How an entry starts its wasm. The build replaces this file by one of src/start; the slim entries keep it, because their user loads
 * the wasm. */

import type { Exports } from "./memory.js";

/** Starts the module; called at the first use. */
export function startModule(): Exports {
  throw new Error("the wasm is not loaded; with deltafold/slim or deltafold/full/slim, await init() first");
}

/** Starts the module without blocking the thread while it compiles. */
export async function loadModule(): Promise<Exports> {
  return startModule();
}
