/* The entry `deltafold` for workerd, which forbids compilation at run time: the import gives the compiled module. */

import module from "./core.wasm";
import { initSync } from "../../gen/core.js";
import { attach } from "../memory.js";

attach(initSync({ module }));

export * from "../index.js";
