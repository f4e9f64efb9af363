/* The wasm is embedded as text, so that nothing is fetched or awaited. */

import { initSync } from "../../gen/core.js";
import { wasm } from "../../gen/core-inline.js";
import { bytesOf, guarded, inflated } from "../load.js";
import type { Exports } from "../memory.js";
import { inflateSync } from "fflate";

export function startModule(): Exports {
  return guarded(() => initSync({ module: inflateSync(bytesOf(wasm.text), { out: new Uint8Array(wasm.size) }) }));
}

export async function loadModule(): Promise<Exports> {
  const bytes = typeof DecompressionStream === "function" ? await inflated(bytesOf(wasm.text)) : inflateSync(bytesOf(wasm.text), { out: new Uint8Array(wasm.size) });
  const module = await guarded(() => WebAssembly.compile(bytes));
  return guarded(() => initSync({ module }));
}
