/* For hosts that forbid compilation at run time, such as workerd and Next's Edge runtime: the import gives the compiled module. */

import module from "compiled.wasm";
import { initSync } from "../../gen/core.js";
import { guarded, ofThisRealm } from "../load.js";
import type { Exports } from "../memory.js";

export function startModule(): Exports {
  return guarded(() => initSync({ module: ofThisRealm(module) }));
}

export async function loadModule(): Promise<Exports> {
  return startModule();
}
