// The declarations of the entries, for ES modules and for CommonJS, from those that tsc has made of the sources.

import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";

// An entry's declarations are those of what it exports; the entry files themselves are about loading.
const SLIM = 'export { init, initSync, type WasmSource } from "./slim.js";\n';
await rename("dist/slim.d.ts", "dist/loading.d.ts");
await rename("dist/full.d.ts", "dist/everything.d.ts");
await writeFile("dist/full.d.ts", 'export * from "./everything.js";\n');
await writeFile("dist/slim.d.ts", `export * from "./index.js";\n${SLIM.replace("slim", "loading")}`);
await writeFile("dist/full-slim.d.ts", `export * from "./everything.js";\n${SLIM.replace("slim", "loading")}`);
await rm("dist/entry", { recursive: true });

// CommonJS has declarations of its own, or its users would be told that they import an ES module.
for (const file of await readdir("dist")) {
  if (!file.endsWith(".d.ts")) continue;
  const text = await readFile(`dist/${file}`, "utf8");
  await writeFile(`dist/${file.replace(/\.d\.ts$/, ".d.cts")}`, text.replace(/(from "\.[^"]*)\.js"/g, '$1.cjs"'));
}
