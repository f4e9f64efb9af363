// Packs the package as users get it, installs the tarball in a fresh project, and uses it there: two versions of Node.js (ESM, CJS),
// TypeScript, Deno, Bun, workerd, Next, the oldest versions of its peers, and what esbuild and Vite make of it. What needs a browser is in
// test/browser, which runs on the same project.
//
//   node packaging/run.mjs FOLDER

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2]);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

function run(command, args, cwd, env = {}) {
  try {
    return execFileSync(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", env: { ...process.env, ...env } });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")} failed:\n${String(error.stdout).slice(-4000)}`);
  }
}
const tool = (name) => resolve("node_modules/.bin", name);

// The tools that package.json of this folder names; tests/ci/lib.sh installs them.
const other = (name) => resolve("packaging/node_modules/.bin", name);

const packed = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], "."));
const { filename, files } = packed[0] ?? Object.values(packed)[0];
const names = files.map((file) => file.path).sort();
console.log(names.join("\n"));
const entries = ["index", "slim", "full", "full-slim", "openai", "react", "ai"].flatMap((name) => ["cjs", "d.cts", "d.ts", "js"].map((end) => `dist/${name}.${end}`));
for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist/core.wasm", "dist/full.wasm", "dist/workerd.js", "dist/full-workerd.js", "dist/edge-light.js", "dist/full-edge-light.js", "dist/core-module.js", "dist/full-module.js", "dist/inspector.html", ...entries]) {
  if (!names.includes(name)) throw new Error(`the tarball lacks ${name}`);
}

const unpacked = files.reduce((sum, { size }) => sum + size, 0);
console.log(`unpacked: ${unpacked} bytes`);
if (unpacked > 5_500_000) throw new Error(`the package unpacks to ${unpacked} bytes, more than 5,500,000`);

const project = join(folder, "project");
mkdirSync(project);
writeFileSync(join(project, "package.json"), '{ "private": true }');
run("npm", ["install", "--no-audit", "--no-fund", join(folder, filename)], project);

const write = (name, text) => writeFileSync(join(project, name), text);
const use = `
const payload = { type: "response.output_text.delta", sequence_number: 0, item_id: "m", output_index: 0, content_index: 0, delta: "Hi" };
async function* source() { yield new TextEncoder().encode("data: " + JSON.stringify(payload) + "\\n\\n"); }
async function main() {
  const events = readEvents(source());
  let text = "";
  for await (const event of events) text += event.delta;
  return [version(), text, events.response.output[0].content[0].text, events.outcome.outcome].join(" ");
}
`;
/** The wasm inside of a script, as the text that it is there. */
const wasmIn = (file) => {
  const [text, more] = readFileSync(file, "utf8").match(/[A-Za-z0-9+/=]{50000,}/g) ?? [];
  if (text === undefined || more !== undefined) throw new Error(`${file} has ${text === undefined ? "no wasm" : "more than one wasm"} inside`);
  return text;
};
const shipped = (name) => wasmIn(join(project, "node_modules/deltafold/dist", name));
const same = (what, file, name) => {
  if (wasmIn(file) !== shipped(name)) throw new Error(`${what} has another wasm than ${name}`);
  console.log(`${what} has the wasm of ${name}`);
};
const wanted = new RegExp(`^\\d+\\.\\d+\\.\\d+ Hi Hi truncated$`);
const check = (what, answer) => {
  if (!wanted.test(answer.trim())) throw new Error(`${what} printed: ${answer}`);
  console.log(`${what}: ok`);
};

write("esm.mjs", `import { readEvents, version } from "deltafold";${use}console.log(await main());`);
write("cjs.cjs", `const { readEvents, version } = require("deltafold");${use}main().then(console.log);`);
write("server.mjs", `import { readEvents, version } from "deltafold";${use}main().then(console.log);`);
write("full.cjs", `const { readEvents, version } = require("deltafold/full");${use}main().then(console.log);`);
write("slim.mjs", `import { init, readEvents, version } from "deltafold/slim";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
await init(await readFile(fileURLToPath(import.meta.resolve("deltafold/core.wasm"))));${use}console.log(await main());`);
const files_of_node = ["esm.mjs", "cjs.cjs", "full.cjs", "slim.mjs"];
for (const file of files_of_node) check(`node ${file}`, run("node", [file], project));
// `npm test` runs in this version, too.
if (!process.version.startsWith("v20.")) console.log(`NOTE: the package was tried in Node.js ${process.version} instead of 20, the oldest supported version`);
// The newest version with long-term support comes by npm, as a package for each platform.
const newest = readdirSync("packaging/node_modules").filter((name) => name.startsWith("node-")).map((name) => resolve("packaging/node_modules", name, "bin/node"));
for (const node of newest) for (const file of files_of_node) check(`node ${run(node, ["--version"], project).trim()} ${file}`, run(node, [file], project));
if (newest.length === 0) console.log("NOTE: the newest Node.js is not here, so the package was not tried in it");
// A program that uses no reader gets no wasm.
write("shaken.mjs", 'import { DeltafoldError } from "deltafold"; console.log(DeltafoldError.name);');
run(tool("esbuild"), ["shaken.mjs", "--bundle", "--minify", "--format=esm", "--outfile=shaken.out.mjs", "--log-level=warning"], project);
const shaken = readFileSync(join(project, "shaken.out.mjs")).length;
if (shaken > 10_000) throw new Error(`an import of DeltafoldError alone costs ${shaken} bytes`);
console.log(`an import of DeltafoldError alone: ${shaken} bytes`);
run(tool("esbuild"), ["server.mjs", "--bundle", "--platform=node", "--outfile=server.cjs", "--log-level=warning"], project);
check("node server.cjs, bundled", run("node", ["server.cjs"], project));
same("the bundle for a server", join(project, "server.cjs"), "index.js");
for (const [name, args] of [["deno", ["run", "--node-modules-dir=manual", "--allow-read", "--allow-env"]], ["bun", ["run"]]]) {
  // Their binaries come by npm; a platform that has none is told, not passed over in silence.
  if (existsSync(other(name))) check(name, run(other(name), [...args, "esm.mjs"], project));
  else console.log(`NOTE: ${name} is not here, so the package was not tried in it`);
}

// Hosted workers: workerd runs the module that the condition of that name picks, with the wasm compiled by the host.
const { exports } = JSON.parse(readFileSync(join(project, "node_modules/deltafold/package.json"), "utf8"));
const dist = (name) => join("node_modules/deltafold/dist", name);
const picked = (entry) => join("node_modules/deltafold", exports[entry].workerd.default);
const asModule = (name, kind) => `(name = "${name}", ${kind} = embed "${name}")`;
// Before May 2025 it had neither weak references nor finalization.
for (const [number, [entry, wasm, before, date]] of [
  [".", "core.wasm", "", "2026-01-01"],
  [".", "core.wasm", "", "2024-09-01"],
  ["./full", "full.wasm", "", "2026-01-01"],
  ["./slim", "core.wasm", "await init(module);", "2026-01-01"],
  ["./full/slim", "full.wasm", "initSync(module);", "2026-01-01"],
].entries()) {
  const script = `hosted${number}.js`;
  write(script, `import * as deltafold from "./${picked(entry)}";
import module from "./${dist(wasm)}";
const { init, initSync, readEvents, version } = deltafold;
${use}
export default {
  async test() {
    ${before}
    const answer = await main();
    if (!${wanted}.test(answer)) throw new Error("printed " + answer);
    if (new deltafold.Reader().finish().outcome !== "truncated") throw new Error("a reader does not finish");
    if (${entry.startsWith("./full")} && deltafold.explain("SEQ-03") === null) throw new Error("the rules are not there");
  },
};`);
  write(`hosted${number}.capnp`, `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .hosted)]);
const hosted :Workerd.Worker = (
  modules = [${[asModule(script, "esModule"), asModule(picked(entry), "esModule"), asModule(dist(wasm), "wasm")].join(", ")}],
  compatibilityDate = "${date}",
);
`);
  if (existsSync(other("workerd"))) {
    run(other("workerd"), ["test", `hosted${number}.capnp`], project);
    console.log(`workerd ${entry}, ${date}: ok`);
  } else {
    console.log("NOTE: workerd is not here, so the package was not tried in it");
  }
}

// Next: a route of the Edge runtime and one of Node.js, with both entries, built and asked.
await import("./next.mjs").then(({ tryNext }) => tryNext(project, run, resolve("packaging/node_modules")));

const typed = `const reader = new Reader();
for (const event of reader.feed(new Uint8Array())) if (event.type === "response.output_text.delta") console.log(event.delta.length);
export const status: string | undefined = reader.response?.status;
`;
write("typed.mts", `import { Reader } from "deltafold";\n${typed}`);
write("typed.cts", `import { Reader } from "deltafold/full";\n${typed}`);
run(tool("tsc"), ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "", "typed.mts", "typed.cts"], project);
console.log("types: ok");

// Two pages for the browser tests: one without any bundler, one by Vite.
write("plain.html", '<!doctype html><title>plain</title><script type="module" src="./plain.js"></script>');
write("plain.js", `import { readEvents, version } from "./node_modules/deltafold/dist/index.js";${use}document.title = await main();`);
write("worker.js", `import { readEvents, version } from "./node_modules/deltafold/dist/index.js";${use}onmessage = async () => postMessage(await main());`);
write("slim.html", `<!doctype html><script type="module">import { init, readEvents, version } from "./node_modules/deltafold/dist/slim.js";
await init("./node_modules/deltafold/dist/core.wasm");${use}document.title = await main();</script>`);
mkdirSync(join(project, "vite"));
write("vite/index.html", '<!doctype html><title>vite</title><script type="module" src="./main.js"></script>');
write("vite/main.js", `import { readEvents, version } from "deltafold";${use}main().then((text) => { document.title = text; });`);
run(other("vite"), ["build", "--logLevel", "warn", "--base", "./", "vite"], project);
const assets = readdirSync(join(project, "vite/dist/assets")).filter((name) => name.endsWith(".js"));
if (assets.length !== 1) throw new Error(`Vite made ${assets.length} scripts`);
same("what Vite builds", join(project, "vite/dist/assets", assets[0]), "index.js");
console.log("vite build: ok");

// A page with React and the AI SDK for the browser tests. They are those of this folder, which the page's modules find through links.
// The examples of README.md use the others.
for (const name of ["react", "react-dom", "ai", "@ai-sdk/react", "@types/react", "zod"]) {
  mkdirSync(join(project, "node_modules", name, ".."), { recursive: true });
  symlinkSync(resolve("node_modules", name), join(project, "node_modules", name));
}
mkdirSync(join(project, "react"));
write("react/index.html", '<!doctype html><title>react</title><div id="root"></div><script type="module" src="./main.js"></script>');
copyFileSync("test/browser/react-page.js", join(project, "react/main.js"));
run(other("vite"), ["build", "react", "--base", "./", "--logLevel", "error"], project, { NODE_ENV: "production" });
console.log("vite build with react and ai: ok");

await import("./oldest.mjs").then(({ tryOldest }) => tryOldest(project, run, { tsc: tool("tsc"), vite: other("vite") }));
console.log("packaging: ok");
