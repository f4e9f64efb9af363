// The runner in headless Chromium: a script of lines is sent to a page, which returns the answer. Started in a folder where the
// package is installed; takes the root of the repository, for the browser that npm/test/browser starts.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [root] = process.argv.slice(2);
const { launch, serve } = await import(pathToFileURL(`${root}/npm/test/browser/chromium.mjs`));

// The page requests work and sends the last answer with the request: one request per script.
const page = `<!doctype html><meta charset="utf-8"><script type="module">
import * as deltafold from "/node_modules/deltafold/dist/full.js";
import { makeRunner } from "/runner.mjs";
const run = makeRunner(deltafold);
for (let answer = null; ; ) {
  const lines = await (await fetch("/next", { method: "POST", body: JSON.stringify(answer) })).json();
  answer = lines.map(run);
}
</script>`;
const runner = await readFile(new URL("runner.mjs", import.meta.url));
const text = (type, body) => (_, answer) => answer.writeHead(200, { "content-type": type }).end(body);

let waiting = null;
let answered = null;
async function next(request, answer) {
  let body = "";
  // Otherwise each chunk would be decoded separately, and a character that is split between two would be lost.
  request.setEncoding("utf8");
  for await (const chunk of request) body += chunk;
  answered?.(JSON.parse(body));
  waiting = answer;
}
const ask = (lines) =>
  new Promise((resolve) => {
    answered = resolve;
    waiting.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(lines));
  });

const { url, stop } = await serve(process.cwd(), { "/": text("text/html", page), "/runner.mjs": text("text/javascript", runner), "/next": next });
const browser = await launch();
const ready = new Promise((resolve) => (answered = resolve));
await (await browser.newPage()).goto(`${url}/`);
await ready;

let lines = [];
for await (const line of createInterface({ input: process.stdin })) {
  lines.push(line);
  if (line !== "end") continue;
  const answers = await ask(lines);
  lines = [];
  if (answers.includes(null)) process.exit(2);
  process.stdout.write(answers.flat().map((answer) => `${answer}\n`).join(""));
}
await browser.close();
stop();
process.exit(0);
