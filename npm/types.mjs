// The declarations of the entries, for ES modules and for CommonJS, from those that tsc has made of the sources.

import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";

// The declarations of a slim entry are those of its functions, and those of the loading.
await rename("dist/slim.d.ts", "dist/loading.d.ts");
for (const [entry, functions, name, other] of [["slim", "index", "deltafold/slim", "deltafold"], ["full-slim", "full", "deltafold/full/slim", "deltafold/full"]]) {
  const about = `/**\n * What \`${other}\` has, without the wasm: the user loads it before any other call.\n *\n * @module ${name}\n */\n\n`;
  await writeFile(`dist/${entry}.d.ts`, `${about}export * from "./${functions}.js";\nexport { init, initSync, type WasmSource } from "./loading.js";\n`);
}
for (const folder of ["entry", "start"]) await rm(`dist/${folder}`, { recursive: true });
for (const file of ["dispose", "grown", "load", "memory", "snapshot", "start"]) await rm(`dist/${file}.d.ts`);

// CommonJS has declarations of its own, or its users would be told that they import an ES module.
for (const file of await readdir("dist")) {
  if (!file.endsWith(".d.ts")) continue;
  const text = await readFile(`dist/${file}`, "utf8");
  await writeFile(`dist/${file.replace(/\.d\.ts$/, ".d.cts")}`, text.replace(/(from "\.[^"]*)\.js"/g, '$1.cjs"'));
}
