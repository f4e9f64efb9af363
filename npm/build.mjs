// Builds the package into npm/dist:  npm ci && npm run build
// With `-- --javascript`, the wasm of the last build is used again.
//
// Cargo compiles bindings/wasm to two modules: `core` reads, `full` also validates, writes and converts. The wasm-bindgen of
// tests/tools writes the JavaScript for them, wasm-opt optimizes them, esbuild bundles the entries, tsc writes the types.
// Intermediate files are in npm/gen. Neither folder is committed.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { deflateSync } from "fflate";

import { variant } from "./variant.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = process.env.DELTAFOLD_CACHE ?? join(root, ".cache");
process.chdir(join(root, "npm"));

function run(command, args, env = {}) {
  console.log(`+ ${command} ${args.join(" ")}`);
  execFileSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
}

/** Optimizes a module. This takes longer than compiling it, so the result is kept in the cache for the next build with the same input. */
async function optimize(from, to) {
  // No data is at the lowest addresses, where the stack ends. Engines ignore alignment hints, and equal hints compress better.
  const options = ["-O3", "--converge", "--low-memory-unused", "--dealign"];
  const { version } = JSON.parse(await readFile("node_modules/binaryen/package.json", "utf8"));
  const key = createHash("sha256").update([version, ...options].join("\n")).update(await readFile(from)).digest("hex");
  const kept = join(cache, "wasm-opt", `${key}.wasm`);
  if (!existsSync(kept)) {
    await mkdir(join(cache, "wasm-opt"), { recursive: true });
    run("node_modules/.bin/wasm-opt", [...options, from, "-o", to]);
    // Renamed, so that an interrupted copy is not taken for a module.
    await copyFile(to, `${kept}.new`);
    await rename(`${kept}.new`, kept);
  }
  await copyFile(kept, to);
}

const compiles = !process.argv.includes("--javascript");
if (compiles) await rm("gen", { recursive: true, force: true });
await rm("dist", { recursive: true, force: true });
await mkdir("gen", { recursive: true });
await mkdir("dist");

const target = join(cache, "target/wasm");
const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
const RUSTFLAGS = [
  // The searches for line ends and quotes use SIMD, which every current engine has.
  "-Ctarget-feature=+simd128",
  // No path of this machine in the messages of panics.
  `--remap-path-prefix=${registry}=crates`,
];
for (const name of ["core", "full"]) {
  if (!compiles) {
    await copyFile(`gen/${name}.wasm`, `dist/${name}.wasm`);
    continue;
  }
  const features = name === "full" ? ["--features", "full"] : [];
  run("cargo", ["build", "--locked", "-p", "deltafold-wasm", "--target", "wasm32-unknown-unknown", "--profile", "wasm", ...features], {
    CARGO_TARGET_DIR: target,
    CARGO_ENCODED_RUSTFLAGS: RUSTFLAGS.join("\x1f"),
  });
  const compiled = join(target, "wasm32-unknown-unknown/wasm/deltafold_wasm.wasm");
  run("cargo", ["run", "--quiet", "--locked", "--manifest-path", "../tests/tools/Cargo.toml", "--", "bindgen", compiled, "gen", name], {
    CARGO_TARGET_DIR: join(cache, "target/tools"),
  });
  await optimize(`gen/${name}_bg.wasm`, `gen/${name}.wasm`);
  await copyFile(`gen/${name}.wasm`, `dist/${name}.wasm`);
  const wasm = await readFile(`gen/${name}.wasm`);
  const text = Buffer.from(deflateSync(wasm, { level: 9, mem: 12 })).toString("base64");
  await writeFile(`gen/${name}-inline.js`, `export const wasm = { size: ${wasm.length}, text: "${text}" };\n`);
  await writeFile(`gen/${name}-inline.d.ts`, "export const wasm: { size: number; text: string };\n");
}

const common = {
  bundle: true,
  outdir: "dist",
  platform: "neutral",
  target: ["es2022"],
  // A page without a charset would misread any other encoding.
  charset: "ascii",
  // `keepNames` would keep every class in every bundle; public classes have a static `name` instead. Source maps would be half of the package.
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: "none",
  logLevel: "warning",
};
for (const [name, source, module, start, path] of [
  ["index", "src/index.ts", "core", "inline"],
  ["full", "src/full.ts", "full", "inline"],
  ["slim", "src/entry/slim.ts", "core", "slim"],
  ["full-slim", "src/entry/slim-full.ts", "full", "slim"],
  ["workerd", "src/index.ts", "core", "compiled", "./core.wasm"],
  ["full-workerd", "src/full.ts", "full", "compiled", "./full.wasm"],
  // Next's Edge runtime compiles the files whose path ends in this way.
  ["edge-light", "src/index.ts", "core", "compiled", "./core.wasm?module"],
  ["full-edge-light", "src/full.ts", "full", "compiled", "./full.wasm?module"],
]) {
  const entry = { ...common, entryPoints: { [name]: source }, plugins: [variant(module, start, path)] };
  await build({ ...entry, format: "esm" });
  if (start === "compiled") continue;
  // The generated code uses import.meta only to fetch the wasm, which these entries never do.
  await build({ ...entry, format: "cjs", outExtension: { ".js": ".cjs" }, define: { "import.meta.url": "undefined" } });
}
// Entries without wasm of their own. What they use of the package stays an import of it, so that there is one copy.
const self = {
  name: "self-reference",
  setup(build) {
    build.onResolve({ filter: /^\.\/index\.js$/ }, () => ({ path: "deltafold", external: true }));
    build.onResolve({ filter: /^\.\/full\.js$/ }, () => ({ path: "deltafold/full", external: true }));
  },
};
for (const name of ["openai", "react", "ai"]) {
  const entry = { ...common, entryPoints: { [name]: `src/${name}.ts` }, external: ["react", "ai"], plugins: [self] };
  await build({ ...entry, format: "esm" });
  await build({ ...entry, format: "cjs", outExtension: { ".js": ".cjs" } });
}
// Next's Edge runtime gets this module where another host gets the file.
for (const name of ["core", "full"]) await writeFile(`dist/${name}-module.js`, `export { default } from "./${name}.wasm?module";\n`);
run("node", ["inspector/build.mjs"]);
run("node_modules/.bin/tsc", ["--project", "tsconfig.json"]);
run("node", ["types.mjs"]);
// npm packs neither links nor files outside of the folder.
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) await copyFile(`../${name}`, name);
