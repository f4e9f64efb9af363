// deltafold/react and deltafold/ai in Chromium, with React and the AI SDK themselves, in their newest and their oldest supported versions;
// PROJECT is the folder that packaging/run.mjs has made.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Writer } from "deltafold/full";

import { launch, open, serve } from "./chromium.mjs";

const project = process.env.PROJECT;
if (!project) throw new Error("PROJECT is not set; run packaging/run.mjs first");

/** The blocks of a whole stream with these texts. */
function blocks(...texts) {
  const writer = new Writer({ id: "resp_1", model: "m-1", created_at: 5 });
  writer.message();
  for (const text of texts) writer.text(text);
  writer.complete({ input_tokens: 3, output_tokens: 2 });
  return new TextDecoder().decode(writer.take()).split(/(?<=\n\n)/);
}

const STREAM = { "content-type": "text/event-stream" };
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
const all = blocks("Hello ", "wonderful ", "world");
const number = (block) => Number(/"sequence_number":(\d+)/.exec(block)?.[1]);

let browser;
let server;
let closed = 0;
let asked;
before(async () => {
  browser = await launch();
  const slowly = async (answer, list) => {
    answer.writeHead(200, STREAM);
    for (const block of list) {
      answer.write(block);
      await wait(5);
    }
    answer.end();
  };
  server = await serve(project, {
    "/stream": (_, answer) => slowly(answer, all),
    "/broken": async (_, answer) => {
      answer.writeHead(200, STREAM);
      for (const block of all.slice(0, 5)) answer.write(block);
      await wait(30);
      answer.destroy();
    },
    "/rest": (request, answer) => {
      const last = Number(new URL(request.url, "http://x").searchParams.get("after"));
      return slowly(answer, all.filter((block) => !(number(block) <= last)));
    },
    "/endless": (request, answer) => {
      request.on("close", () => closed++);
      answer.writeHead(200, STREAM);
      answer.write(all.slice(0, 5).join(""));
    },
    "/chat": async (request, answer) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      asked = JSON.parse(body);
      await slowly(answer, all);
    },
  });
});
after(async () => {
  await browser.close();
  server.stop();
});

const shows = (page, id, wanted) => page.waitForFunction(([id, wanted]) => document.getElementById(id)?.textContent === wanted, [id, wanted], { timeout: 20_000 }).catch(async (error) => {
  throw new Error(`#${id} shows ${await page.textContent(`#${id}`)}, expected ${wanted}`, { cause: error });
});

for (const [versions, folder, react] of [["the newest", "react", /^19\./], ["the oldest", "oldest/react", /^18\.0\.0\b/]]) {
  test(`useResponse sends, stops, shows an error and resumes, with ${versions} React`, async () => {
    const { page, errors } = await open(browser, `${server.url}/${folder}/dist/index.html`);
    closed = 0;
    assert.match(await page.title(), react);
    await shows(page, "hook", "idle||-|-");
    await page.click("#send");
    await shows(page, "hook", "done|Hello wonderful world|completed|-");
    await page.click("#break");
    await shows(page, "hook", "error|Hello |truncated|error");
    await page.click("#resume");
    await shows(page, "hook", "done|Hello wonderful world|completed|-");
    await page.click("#endless");
    await shows(page, "hook", "streaming|Hello |-|-");
    await page.click("#stop");
    await shows(page, "hook", "done|Hello |truncated|-");
    for (let left = 50; closed === 0 && left > 0; left--) await wait(20);
    assert.equal(closed, 1, "the server sees that the page stopped reading");
    assert.deepEqual(errors, []);
    await page.close();
  });

  test(`useChat reads a stream of Open Responses through the transport, with ${versions} AI SDK`, async () => {
    const { page, errors } = await open(browser, `${server.url}/${folder}/dist/index.html`);
    await page.click("#ask");
    await shows(page, "chat", "ready|user: hello|assistant: Hello wonderful world|-");
    assert.deepEqual([asked.messages.length, asked.messages[0].role, asked.trigger], [1, "user", "submit-message"]);
    assert.deepEqual(errors, []);
    await page.close();
  });
}
