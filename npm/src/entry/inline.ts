/* The entry `deltafold`: reading, with the wasm embedded as text, so that nothing is fetched or awaited. */

import { initSync } from "../../gen/core.js";
import { wasm } from "../../gen/core-inline.js";
import { decode } from "../load.js";
import { attach, startWith } from "../memory.js";

startWith(() => attach(decode(wasm, (module) => initSync({ module }))));

export * from "../index.js";
