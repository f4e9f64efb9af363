/* The user loads the wasm: `await init(url)` before any other call. */

import start, { initSync as startSync } from "../gen/core.js";
import { guarded, ofThisRealm } from "./load.js";
import { attach } from "./memory.js";

/** The wasm: its URL, its bytes, a `fetch` response, or the compiled module. */
export type WasmSource = string | URL | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module;

/** Loads the wasm asynchronously. The file is `deltafold/core.wasm` or `deltafold/full.wasm`; a bundler can provide its URL. */
export async function init(source: WasmSource): Promise<void> {
  attach(await start({ module_or_path: source as never }));
}

/** Loads the wasm synchronously, from its bytes or the compiled module. */
export function initSync(module: BufferSource | WebAssembly.Module): void {
  attach(guarded(() => startSync({ module: ofThisRealm(module) as never })));
}
