// The JavaScript half of the build: the wasm as text in a module, and the entries as ESM and CJS.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";

import { withoutLocations } from "./locations.mjs";

await mkdir("dist", { recursive: true });
for (const [name, file] of [["core", "inline"], ["full", "inline-full"]]) {
  const wasm = withoutLocations(await readFile(`gen/${name}.wasm`));
  await writeFile(`gen/${name}.wasm`, wasm);
  const text = deflateRawSync(wasm, { level: 9, memLevel: 9 }).toString("base64");
  await writeFile(`gen/${file}.js`, `export const wasm = { size: ${wasm.length}, text: "${text}" };\n`);
  await writeFile(`gen/${file}.d.ts`, "export const wasm: { size: number; text: string };\n");
  await copyFile(`gen/${name}.wasm`, `dist/${name}.wasm`);
}

/** In the full entries every call goes to the full module, so that there is one memory. */
const oneModule = {
  name: "one-module",
  setup: (build) => build.onResolve({ filter: /gen\/core\.js$/ }, () => ({ path: new URL("gen/full.js", import.meta.url).pathname })),
};

const common = {
  bundle: true,
  outdir: "dist",
  platform: "neutral",
  target: ["es2022"],
  // Pages without a charset would misread anything else.
  charset: "ascii",
  sourcemap: true,
  // The names of errors and of classes are part of what users see.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
};
const reading = { ...common, entryPoints: { index: "src/entry/inline.ts", slim: "src/entry/slim.ts" } };
const everything = { ...common, entryPoints: { full: "src/entry/full.ts", "full-slim": "src/entry/slim-full.ts" }, plugins: [oneModule] };
for (const entries of [reading, everything]) {
  await build({ ...entries, format: "esm" });
  // The glue names import.meta only where it would fetch the wasm, which these entries never do.
  await build({ ...entries, format: "cjs", outExtension: { ".js": ".cjs" }, define: { "import.meta.url": "undefined" } });
}
await build({ ...common, entryPoints: { workerd: "src/entry/workerd.ts" }, format: "esm", external: ["./core.wasm"] });
