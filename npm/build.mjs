// The JavaScript half of the build: the wasm as text in a module, and the entries as ESM and CJS.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";

await mkdir("dist", { recursive: true });
for (const folder of ["gen", "gen/fast"]) {
  for (const [name, file] of [["core", "inline"], ["full", "inline-full"]]) {
    const wasm = await readFile(`${folder}/${name}.wasm`);
    const text = deflateRawSync(wasm, { level: 9, memLevel: 9 }).toString("base64");
    await writeFile(`${folder}/${file}.js`, `export const wasm = { size: ${wasm.length}, text: "${text}" };\n`);
    await writeFile(`${folder}/${file}.d.ts`, "export const wasm: { size: number; text: string };\n");
  }
}
for (const name of ["core", "full"]) await copyFile(`gen/${name}.wasm`, `dist/${name}.wasm`);

/** In the full entries every call goes to the full module, so that there is one memory. */
const oneModule = {
  name: "one-module",
  setup: (build) => build.onResolve({ filter: /gen\/core\.js$/ }, () => ({ path: new URL("gen/full.js", import.meta.url).pathname })),
};

/** For servers the same entries around the wasm that was built to be fast; the glue is the same. */
const fast = {
  name: "fast",
  setup: (build) => build.onResolve({ filter: /gen\/inline(-full)?\.js$/ }, ({ path }) => ({ path: new URL(path.replace("../../gen/", "gen/fast/"), import.meta.url).pathname })),
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
const servers = [
  { ...common, entryPoints: { "index.node": "src/entry/inline.ts" }, plugins: [fast] },
  { ...common, entryPoints: { "full.node": "src/entry/full.ts" }, plugins: [oneModule, fast] },
];
for (const entries of [reading, everything, ...servers]) {
  await build({ ...entries, format: "esm" });
  // The glue names import.meta only where it would fetch the wasm, which these entries never do.
  await build({ ...entries, format: "cjs", outExtension: { ".js": ".cjs" }, define: { "import.meta.url": "undefined" } });
}
await build({ ...common, entryPoints: { workerd: "src/entry/workerd.ts" }, format: "esm", external: ["./core.wasm"] });
