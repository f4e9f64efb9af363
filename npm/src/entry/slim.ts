/* The entry `deltafold/slim`: reading; the user loads the wasm. */

export * from "../index.js";
export { init, initSync, type WasmSource } from "../slim.js";
