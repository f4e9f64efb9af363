/* Everything, with its wasm as text inside the module. */

import { initSync } from "../../gen/full.js";
import { wasm } from "../../gen/inline-full.js";
import { decode } from "../load.js";
import { attach, startBy } from "../memory.js";

startBy(() => attach(decode(wasm, (module) => initSync({ module }))));

export * from "../full.js";
