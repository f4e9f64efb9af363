/* The entry `deltafold/full`: all functions, with the wasm embedded as text. */

import { initSync } from "../../gen/full.js";
import { wasm } from "../../gen/full-inline.js";
import { decode } from "../load.js";
import { attach, startWith } from "../memory.js";

startWith(() => attach(decode(wasm, (module) => initSync({ module }))));

export * from "../full.js";
