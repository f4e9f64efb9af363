// Builds the package into npm/dist:  npm ci && npm run build
//
// Cargo compiles bindings/wasm to two modules: `core` reads, `full` also validates, writes and converts. The wasm-bindgen of
// tests/tools writes the JavaScript for them, wasm-opt optimizes them, esbuild bundles the entries, tsc writes the types.
// Intermediate files are in npm/gen. Neither folder is committed.

import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { deflateSync } from "fflate";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = process.env.DELTAFOLD_CACHE ?? join(root, ".cache");
process.chdir(join(root, "npm"));

function run(command, args, env = {}) {
  console.log(`+ ${command} ${args.join(" ")}`);
  execFileSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
}

await rm("gen", { recursive: true, force: true });
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
  const features = name === "full" ? ["--features", "full"] : [];
  run("cargo", ["build", "--locked", "-p", "deltafold-wasm", "--target", "wasm32-unknown-unknown", "--profile", "wasm", ...features], {
    CARGO_TARGET_DIR: target,
    CARGO_ENCODED_RUSTFLAGS: RUSTFLAGS.join("\x1f"),
  });
  const compiled = join(target, "wasm32-unknown-unknown/wasm/deltafold_wasm.wasm");
  run("cargo", ["run", "--quiet", "--locked", "--manifest-path", "../tests/tools/Cargo.toml", "--", "bindgen", compiled, "gen", name], {
    CARGO_TARGET_DIR: join(cache, "target/tools"),
  });
  // No data is at the lowest addresses, where the stack ends. Engines ignore alignment hints, and equal hints compress better.
  run("node_modules/.bin/wasm-opt", ["-O3", "--low-memory-unused", "--dealign", `gen/${name}_bg.wasm`, "-o", `gen/${name}.wasm`]);
  await copyFile(`gen/${name}.wasm`, `dist/${name}.wasm`);
  const wasm = await readFile(`gen/${name}.wasm`);
  const text = Buffer.from(deflateSync(wasm, { level: 9, mem: 12 })).toString("base64");
  await writeFile(`gen/${name}-inline.js`, `export const wasm = { size: ${wasm.length}, text: "${text}" };\n`);
  await writeFile(`gen/${name}-inline.d.ts`, "export const wasm: { size: number; text: string };\n");
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
  // A page without a charset would misread any other encoding.
  charset: "ascii",
  sourcemap: true,
  // Identifiers stay: users see the names of errors and of classes.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
};
const reading = { ...common, entryPoints: { index: "src/entry/inline.ts", slim: "src/entry/slim.ts" } };
const everything = { ...common, entryPoints: { full: "src/entry/full.ts", "full-slim": "src/entry/slim-full.ts" }, plugins: [oneModule] };
for (const entries of [reading, everything]) {
  await build({ ...entries, format: "esm" });
  // The generated code uses import.meta only to fetch the wasm, which these entries never do.
  await build({ ...entries, format: "cjs", outExtension: { ".js": ".cjs" }, define: { "import.meta.url": "undefined" } });
}
await build({ ...common, entryPoints: { workerd: "src/entry/workerd.ts" }, format: "esm", external: ["./core.wasm"] });

run("node", ["inspector/build.mjs"]);
run("node_modules/.bin/tsc", ["--project", "tsconfig.json"]);
run("node", ["types.mjs"]);
// npm packs neither links nor files outside of the folder.
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) await copyFile(`../${name}`, name);
