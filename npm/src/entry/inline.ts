/* The default entry: the wasm comes as text inside the module, so there is nothing to fetch and nothing to await. */

import { initSync } from "../../gen/core.js";
import { wasm } from "../../gen/inline.js";

const text = atob(wasm);
const bytes = new Uint8Array(text.length);
for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
try {
  initSync({ module: bytes });
} catch (cause) {
  throw new Error("deltafold cannot compile its wasm; a page with a script policy needs 'wasm-unsafe-eval'", { cause });
}

export * from "../index.js";
