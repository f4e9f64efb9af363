/* The default entry: the wasm comes as text inside the module, so there is nothing to fetch and nothing to await. */

import { initSync } from "../../gen/core.js";
import { wasm } from "../../gen/inline.js";
import { decode } from "../load.js";
import { attach, startBy } from "../memory.js";

startBy(() => attach(decode(wasm, (module) => initSync({ module }))));

export * from "../index.js";
