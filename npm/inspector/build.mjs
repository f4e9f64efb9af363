// Puts the inspector together: one file that works from any static host and from file://, where neither modules nor workers load.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

import { variant } from "../variant.mjs";

const common = { bundle: true, write: false, minify: true, charset: "ascii", target: ["es2022"], logLevel: "warning" };
const worker = await build({ ...common, entryPoints: ["inspector/worker.js"], format: "iife", plugins: [variant("full", "inline")], define: { "import.meta.url": "undefined" } });
const main = await readFile("inspector/main.js", "utf8");
const script = await build({
  ...common,
  bundle: false,
  stdin: { contents: `(async () => {${main}})();` },
  define: { WORKER: JSON.stringify("@WORKER@") },
});
// A closing tag inside a string would end the script.
const safe = (text) => text.replaceAll("</script", "<\\/script");
const text = script.outputFiles[0].text.replace('"@WORKER@"', () => JSON.stringify(worker.outputFiles[0].text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`));
const style = await readFile("inspector/style.css", "utf8");
const page = await readFile("inspector/index.html", "utf8");
// Only this script and this style run, whatever a capture contains; the page connects only where its user sends it.
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(safe(text))} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "worker-src blob:",
  "connect-src http: https:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = { "/*POLICY*/": policy, "/*STYLE*/": style, "/*SCRIPT*/": safe(text) };
await writeFile("dist/inspector.html", page.replace(/\/\*(POLICY|STYLE|SCRIPT)\*\//g, (mark) => parts[mark]));
