// The installed package in pages of Chromium; PROJECT is the folder that packaging/run.mjs has made.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, open, serve } from "./chromium.mjs";

const project = process.env.PROJECT;
if (!project) throw new Error("PROJECT is not set; run packaging/run.mjs first");
const WANTED = /^\d+\.\d+\.\d+ Hi Hi truncated$/;
const delta = (number, text) => `data: ${JSON.stringify({ type: "response.output_text.delta", sequence_number: number, item_id: "m", output_index: 0, content_index: 0, delta: text })}\n\n`;

let browser;
let server;
before(async () => {
  browser = await launch();
  const page = (policy) => (_, answer) => answer.writeHead(200, { "content-type": "text/html", ...(policy ? { "content-security-policy": policy } : {}) }).end('<!doctype html><script type="module" src="/plain.js"></script>');
  server = await serve(project, {
    "/policy.html": page("script-src 'self'"),
    "/allowed.html": page("script-src 'self' 'wasm-unsafe-eval'"),
    "/stream": async (_, answer) => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      for (const [number, word] of ["live ", "from ", "a ", "server"].entries()) {
        const frame = delta(number, word);
        // Cut in the middle of a frame: the network does.
        answer.write(frame.slice(0, 40));
        await new Promise((resolve) => setTimeout(resolve, 10));
        answer.write(frame.slice(40));
      }
      answer.end();
    },
  });
});
after(async () => {
  await browser.close();
  server.stop();
});

async function titleOf(path) {
  const { page, errors } = await open(browser, `${server.url}/${path}`);
  await page.waitForFunction(() => document.title.includes("truncated"));
  const title = await page.title();
  await page.close();
  assert.deepEqual(errors, []);
  return title;
}

test("a plain module script reads", async () => assert.match(await titleOf("plain.html"), WANTED));
test("a Vite build reads", async () => assert.match(await titleOf("vite/dist/index.html"), WANTED));
test("the slim entry reads after it has fetched the wasm", async () => assert.match(await titleOf("slim.html"), WANTED));
test("a page with a script policy reads if it allows wasm", async () => assert.match(await titleOf("allowed.html"), WANTED));

test("a page whose script policy forbids wasm gets a clear error", async () => {
  const page = await browser.newPage();
  const error = page.waitForEvent("pageerror");
  await page.goto(`${server.url}/policy.html`);
  assert.match((await error).message, /wasm-unsafe-eval/);
  await page.close();
});

test("a worker reads", async () => {
  const { page, errors } = await open(browser, `${server.url}/plain.html`);
  const answer = await page.evaluate(() => new Promise((resolve, reject) => {
    const worker = new Worker("/worker.js", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
    worker.postMessage(null);
  }));
  assert.match(answer, WANTED);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a fetch is rendered while it arrives", async () => {
  const { page, errors } = await open(browser, `${server.url}/plain.html`);
  const seen = await page.evaluate(async () => {
    const { readEvents } = await import("/node_modules/deltafold/dist/index.js");
    const output = document.body.appendChild(document.createElement("output"));
    const texts = [];
    const events = readEvents(fetch("/stream"));
    for await (const event of events) {
      output.textContent = events.response.output[0].content[0].text;
      texts.push(output.textContent);
      void event;
    }
    return texts;
  });
  assert.deepEqual(seen, ["live ", "live from ", "live from a ", "live from a server"]);
  assert.deepEqual(errors, []);
  await page.close();
});
