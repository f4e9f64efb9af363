/* Loading by the user: `await init(url)` before anything else. */

import start, { initSync as startSync } from "../gen/core.js";
import { guarded } from "./load.js";
import { attach } from "./memory.js";

/** Where the wasm comes from: the address of `core.wasm`, its bytes, a response with it, or the compiled module. */
export type WasmSource = string | URL | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module;

/** Loads the wasm. The file is `deltafold/core.wasm`; serve it, or let a bundler give its address. */
export async function init(source: WasmSource): Promise<void> {
  attach(await start({ module_or_path: source as never }));
}

/** Loads the wasm from its bytes or the compiled module, without waiting. */
export function initSync(module: BufferSource | WebAssembly.Module): void {
  attach(guarded(() => startSync({ module: module as never })));
}
