/* Nothing is loaded: the user does it. */

export * from "../index.js";
export { init, initSync, type WasmSource } from "../slim.js";
