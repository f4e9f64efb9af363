/* For hosts that forbid compilation at run time, such as workerd and Next's Edge runtime: the import gives the compiled module. */

import module from "compiled.wasm";
import { initSync } from "../../gen/core.js";
import { guarded } from "../load.js";
import type { Exports } from "../memory.js";

export function startModule(): Exports {
  // In Next's sandbox the module is of another realm, so the generated code would take it for bytes.
  if (!((module as unknown) instanceof WebAssembly.Module)) Object.setPrototypeOf(module, WebAssembly.Module.prototype);
  return guarded(() => initSync({ module }));
}

export async function loadModule(): Promise<Exports> {
  return startModule();
}
