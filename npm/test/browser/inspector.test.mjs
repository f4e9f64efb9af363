// The inspector in Chromium, from file://, with captures of our own. Screenshots go to the folder in SCREENSHOTS.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { check, Writer } from "deltafold/full";

import { launch, serve } from "./chromium.mjs";

const shots = process.env.SCREENSHOTS ?? mkdtempSync(join(tmpdir(), "shots-"));
const page = new URL("../../dist/inspector.html", import.meta.url).href;
let browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

function capture(words) {
  const writer = new Writer({ id: "resp_1", model: "m-1", created_at: 5 });
  writer.message();
  for (const word of words) writer.text(word);
  writer.close();
  writer.functionCall("weather", "call_1");
  for (const piece of ['{"city":', '"Paris"}']) writer.arguments(piece);
  writer.complete({ input_tokens: 3, output_tokens: 2 });
  return writer.take();
}

/** The same stream without its first part events, so that there is something to find and to repair. */
function broken(bytes) {
  const frames = new TextDecoder().decode(bytes).split(/(?<=\n\n)/);
  return frames.filter((frame) => !frame.includes("content_part.added")).join("");
}

async function opened(file) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error));
  await tab.goto(page);
  await tab.waitForSelector("body[data-ready]");
  if (file) {
    await tab.setInputFiles("#file", file);
    await tab.waitForFunction(() => /events in/.test(document.getElementById("status").textContent), null, { timeout: 120_000 });
  }
  return { tab, errors };
}

const fileOf = (name, contents) => ({ name, mimeType: "text/event-stream", buffer: Buffer.from(contents) });

test("a capture is shown: events, the response at any event, growing text", async () => {
  const { tab, errors } = await opened(fileOf("good.sse", capture(["Hel", "lo ", "world"])));
  assert.match(await tab.textContent("#status"), /events in .*: completed; 0 errors/);
  await tab.focus("#list");
  for (let i = 0; i < 5; i++) await tab.keyboard.press("ArrowDown");
  await tab.waitForFunction(() => document.getElementById("at").textContent.startsWith("6 of"));
  // The rows are drawn with the next frame.
  await tab.waitForSelector("#row-5[aria-selected=true]");
  assert.equal(await tab.locator(".row[aria-selected=true]").count(), 1);
  await tab.click('[data-tab="text"]');
  await tab.waitForFunction(() => document.querySelector("#text mark")?.textContent === "lo ");
  assert.equal(await tab.textContent("#text pre"), "Hello ");
  await tab.screenshot({ path: join(shots, "text-light.png") });
  await tab.click('[data-tab="response"]');
  await tab.waitForSelector("#response details");
  await tab.fill("#slider", "0");
  await tab.waitForFunction(() => document.querySelector("#response")?.textContent.includes("in_progress"));
  await tab.keyboard.press("End");
  await tab.waitForFunction(() => document.querySelector("#response")?.textContent.includes("completed"));
  await tab.click("#theme");
  await tab.screenshot({ path: join(shots, "response-dark.png") });
  assert.deepEqual(errors, []);
  await tab.close();
});

test("findings are explained and link to their event; the repaired stream is valid", async () => {
  const { tab, errors } = await opened(fileOf("broken.sse", broken(capture(["a", "b"]))));
  await tab.selectOption("#profile", "open-responses");
  await tab.waitForFunction(() => / [1-9]\d* errors/.test(document.getElementById("status").textContent));
  await tab.click('[data-tab="findings"]');
  await tab.click(".finding button:text('why?')");
  await tab.waitForSelector(".finding p");
  await tab.screenshot({ path: join(shots, "findings.png") });
  await tab.click(".finding button:text-matches('^event')");
  assert.notEqual(await tab.textContent("#at"), "1 of 1");
  await tab.click('[data-tab="convert"]');
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#repaired")]);
  const report = await check([readFileSync(await download.path())], { profile: "open-responses", edition: "openai" });
  assert.deepEqual([report.outcome.outcome, report.counts.errors, report.response.output[0].content[0].text], ["completed", 0, "ab"]);
  assert.deepEqual(errors, []);
  await tab.close();
});

test("a capture is converted and downloaded", async () => {
  const { tab, errors } = await opened(fileOf("good.sse", capture(["Hi"])));
  await tab.click('[data-tab="convert"]');
  await tab.selectOption("#target", "ag-ui");
  await tab.click("#run");
  await tab.waitForFunction(() => document.getElementById("converted").textContent.includes("RUN_FINISHED"));
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#save")]);
  assert.match(readFileSync(await download.path(), "utf8"), /RUN_STARTED/);
  await tab.screenshot({ path: join(shots, "convert.png") });
  assert.deepEqual(errors, []);
  await tab.close();
});

test("the page runs only its own script", async () => {
  const { tab, errors } = await opened(fileOf("good.sse", capture(["<img src=x onerror='injected = 1'><script>injected = 1</script>"])));
  const directive = await tab.evaluate(() => new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "injected = 1";
    document.body.append(script);
    setTimeout(() => resolve("no violation"), 5_000);
  }));
  assert.match(directive, /^script-src/);
  assert.equal(await tab.evaluate(() => typeof injected), "undefined");
  assert.deepEqual(errors, []);
  await tab.close();
});

test("a capture is pasted, and other text is reported as not a stream", async () => {
  const { tab, errors } = await opened();
  const paste = (text) => tab.evaluate((given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", given);
    window.dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
  }, text);
  await paste(new TextDecoder().decode(capture(["pasted"])));
  await tab.waitForFunction(() => /completed/.test(document.getElementById("status").textContent));
  await paste("<html>\n<body>502 Bad Gateway</body></html>\n");
  await tab.waitForFunction(() => /0 events in .*truncated/.test(document.getElementById("status").textContent));
  assert.deepEqual(errors, []);
  await tab.close();
});

test("a stream is followed live, with arrival times", async () => {
  const frames = new TextDecoder().decode(capture(["one ", "two ", "three"])).split(/(?<=\n\n)/);
  const { url, stop } = await serve(".", {
    "/live": async (_, answer) => {
      answer.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
      for (const frame of frames) {
        answer.write(frame);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      answer.end();
    },
  });
  const { tab, errors } = await opened();
  await tab.fill("#url", `${url}/live`);
  await tab.click("#connect button");
  await tab.waitForFunction(() => document.querySelector("#text pre")?.textContent === "one two ", null, { polling: 5 });
  await tab.waitForFunction(() => /completed/.test(document.getElementById("status").textContent));
  await tab.waitForFunction(() => / ms /.test(document.querySelector(".row")?.textContent ?? ""));
  assert.deepEqual(errors, []);
  await tab.close();
  stop();
});

test("sixty megabytes are read without freezing the page", async () => {
  const one = new TextDecoder().decode(capture([]));
  const head = one.slice(0, one.indexOf("event: response.output_item.done"));
  const frames = [head];
  for (let at = 0; at < 236_000; at++) {
    const delta = { type: "response.output_text.delta", sequence_number: at + 3, item_id: "msg_1_0", output_index: 0, content_index: 0, delta: `word${at % 1000} `, logprobs: [], obfuscation: "0123456789abcdef0123456789abcdef0123456789abcdef" };
    frames.push(`event: ${delta.type}\ndata: ${JSON.stringify(delta)}\n\n`);
  }
  const path = join(mkdtempSync(join(tmpdir(), "big-")), "big.sse");
  writeFileSync(path, frames.join(""));
  const { tab, errors } = await opened();
  // Animation frames during the worker's reading show that the page is responsive.
  await tab.evaluate(() => {
    window.frames_drawn = 0;
    const tick = () => {
      if (!document.getElementById("progress").hidden) window.frames_drawn++;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await tab.setInputFiles("#file", path);
  await tab.waitForFunction(() => /Reading: \d+ %/.test(document.getElementById("status").textContent) && !document.getElementById("progress").hidden, null, { polling: 10 });
  await tab.screenshot({ path: join(shots, "progress.png") });
  await tab.waitForFunction(() => /236,\d+ events in/.test(document.getElementById("status").textContent), null, { timeout: 240_000 });
  await tab.focus("#list");
  await tab.keyboard.press("End");
  await tab.waitForFunction(() => document.querySelector(".row[aria-selected=true]")?.textContent.includes("word999"));
  await tab.screenshot({ path: join(shots, "sixty-megabytes.png") });
  assert.ok((await tab.evaluate(() => document.querySelectorAll(".row").length)) < 100, "only what is seen has elements");
  assert.ok((await tab.evaluate(() => window.frames_drawn)) > 5, "the page was drawn while the worker read");
  assert.deepEqual(errors, []);
  await tab.close();
});
