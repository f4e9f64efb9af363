// Packs the package as users get it, installs the tarball in fresh folders, and uses it from ESM, CJS and TypeScript.
//
//   node packaging/run.mjs FOLDER

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2]);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });

const packed = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], "."));
const { filename, files } = packed[0] ?? Object.values(packed)[0];
const names = files.map((file) => file.path).sort();
console.log(names.join("\n"));
for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist/core.wasm", "dist/full.wasm", ...["index", "slim", "full", "full-slim"].flatMap((name) => ["cjs", "d.cts", "d.ts", "js"].map((end) => `dist/${name}.${end}`))]) {
  if (!names.includes(name)) throw new Error(`the tarball lacks ${name}`);
}

const project = join(folder, "project");
mkdirSync(project);
writeFileSync(join(project, "package.json"), '{ "private": true }');
run("npm", ["install", "--no-audit", "--no-fund", join(folder, filename)], project);

const use = 'const d = new SseDecoder(); console.log(version(), d.feed(new TextEncoder().encode("data: 1\\n\\n"))[0].data);';
writeFileSync(join(project, "esm.mjs"), `import { SseDecoder, version } from "deltafold";\n${use}`);
writeFileSync(join(project, "cjs.cjs"), `const { SseDecoder, version } = require("deltafold");\n${use}`);
for (const file of ["esm.mjs", "cjs.cjs"]) {
  const answer = run("node", [file], project).trim();
  if (!/^\d+\.\d+\.\d+ 1$/.test(answer)) throw new Error(`${file} printed: ${answer}`);
}

const typed = 'const frame: Frame | undefined = new SseDecoder().feed(new Uint8Array())[0];\nexport const text: string = frame?.data ?? "";\n';
writeFileSync(join(project, "typed.mts"), `import { type Frame, SseDecoder } from "deltafold";\n${typed}`);
writeFileSync(join(project, "typed.cts"), `import { type Frame, SseDecoder } from "deltafold";\n${typed}`);
const tsc = resolve("node_modules/.bin/tsc");
const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", ""];
run(tsc, [...options, "typed.mts", "typed.cts"], project);
console.log("packaging: ok");
