// The JavaScript half of the build: the wasm as text in a module, and the entries as ESM and CJS.

import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";

const wasm = await readFile("gen/core.wasm");
await mkdir("dist", { recursive: true });
await writeFile("gen/inline.js", `export const wasm = "${wasm.toString("base64")}";\n`);
await writeFile("gen/inline.d.ts", "export const wasm: string;\n");

const common = {
  entryPoints: { index: "src/entry/inline.ts" },
  bundle: true,
  outdir: "dist",
  platform: "neutral",
  target: ["es2022"],
  // Pages without a charset would misread anything else.
  charset: "ascii",
  sourcemap: true,
  logLevel: "warning",
};
await build({ ...common, format: "esm" });
// The glue names import.meta only where it would fetch the wasm, which this entry never does.
await build({ ...common, format: "cjs", outExtension: { ".js": ".cjs" }, define: { "import.meta.url": "undefined" } });
