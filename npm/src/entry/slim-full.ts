/* Everything, and nothing is loaded: the user does it. */

export * from "../full.js";
export { init, initSync, type WasmSource } from "../slim.js";
