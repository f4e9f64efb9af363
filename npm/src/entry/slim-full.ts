/* The entry `deltafold/full/slim`: all functions; the user loads the wasm. */

export * from "../full.js";
export { init, initSync, type WasmSource } from "../slim.js";
