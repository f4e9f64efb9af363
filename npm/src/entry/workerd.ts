/* For hosted workers, which may not compile wasm at run time: the module comes compiled. */

import module from "./core.wasm";
import { initSync } from "../../gen/core.js";
import { attach } from "../memory.js";

attach(initSync({ module }));

export * from "../index.js";
