// toResponse: headers, heartbeat, failures, and clients that go away.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AgUiStream, check, Converter, convert, readEvents, UiMessageStream, Writer } from "deltafold/full";

const writer = (options = {}) => new Writer({ id: "resp_1", model: "m", created_at: 1, ...options });
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
function whole(text = "Hi") {
  const one = writer();
  one.message();
  one.text(text);
  one.complete({ input_tokens: 1, output_tokens: 1 });
  return one.take();
}
const breaking = (bytes) => new ReadableStream({ pull: (out) => (bytes ? (out.enqueue(bytes), (bytes = null)) : out.error(new Error("secret"))) }, { highWaterMark: 0 });

test("a writer answers, with headers and heartbeats", async () => {
  const answer = writer().toResponse(async (writer) => {
    writer.message();
    await wait(30);
    writer.text("Hi");
    writer.complete({ input_tokens: 1, output_tokens: 1 });
  }, { heartbeat: 5, status: 201, headers: { "cache-control": "no-store" } });
  assert.deepEqual([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")], [201, "text/event-stream", "no-store"]);
  const text = await answer.text();
  assert.match(text, /^:/m);
  const report = await check([new TextEncoder().encode(text)]);
  assert.deepEqual([report.outcome.outcome, report.counts.errors], ["completed", 0]);
});

test("a writer whose function throws or forgets the end sends a failure without the message of the error", async () => {
  for (const write of [async (writer) => { writer.message(); writer.text("a"); throw new Error("secret"); }, (writer) => void writer.message()]) {
    const text = await writer().toResponse(write).text();
    assert.ok(!text.includes("secret"));
    const events = readEvents([new TextEncoder().encode(text)]);
    await events.finalResponse();
    assert.deepEqual([events.outcome.outcome, events.outcome.error.code], ["failed", "server_error"]);
  }
});

test("a client that goes away cancels the response, and the function learns it", async () => {
  let learned;
  const answer = writer().toResponse(async (writer) => {
    writer.message();
    writer.text("a");
    await wait(10);
    try {
      writer.text("b");
    } catch (error) {
      learned = error.name;
    }
  });
  const reader = answer.body.getReader();
  await reader.read();
  await reader.cancel();
  await wait(30);
  assert.equal(learned, "Misuse");
});

test("a converted source has the headers of its target, and a failure where it breaks", async () => {
  const answer = new UiMessageStream().toResponse([whole()]);
  assert.deepEqual([answer.headers.get("x-vercel-ai-ui-message-stream"), answer.headers.get("content-type")], ["v1", "text/event-stream"]);
  assert.match(await answer.text(), /"type":"finish"/);
  const bytes = whole();
  const broken = await new AgUiStream({ options: { thread_id: "t" } }).toResponse(breaking(bytes.subarray(0, bytes.length - 400))).text();
  assert.match(broken, /RUN_ERROR/);
  assert.ok(!broken.includes("secret"));
});

test("a converted source is cancelled with its client, and silence has comments", async () => {
  let cancelled = 0;
  const source = new ReadableStream({ start: (out) => out.enqueue(whole().subarray(0, 700)), cancel: () => void cancelled++ });
  const reader = new UiMessageStream().toResponse(source, { heartbeat: 5 }).body.getReader();
  const texts = [];
  while (!texts.includes(":\n\n")) texts.push(new TextDecoder().decode((await reader.read()).value));
  await reader.cancel();
  await wait(5);
  assert.equal(cancelled, 1);
});

test("times are those of the clock unless they are given", async () => {
  const before = Math.floor(Date.now() / 1000);
  const isNow = (seconds) => assert.ok(before <= seconds && seconds <= Date.now() / 1000, `${seconds}`);
  const times = (options) => {
    const one = new Writer({ id: "resp_1", ...options });
    one.apply({ do: "complete" });
    return [one.response.created_at, one.response.completed_at];
  };
  times({}).forEach(isNow);
  assert.deepEqual(times({ created_at: 0 }), [0, 0]);
  const ollama = new TextEncoder().encode('{"model":"m","message":{"content":"Hi"},"done":true,"done_reason":"stop"}\n');
  const converted = async (options) => {
    const { bytes } = await convert([ollama], { from: "ollama", to: "open-responses", options: { response_id: "r", ...options } });
    const { created_at, completed_at } = (await check([bytes])).response;
    return [created_at, completed_at];
  };
  (await converted({})).forEach(isNow);
  assert.deepEqual(await converted({ now: 5 }), [5, 5]);
});

test("a source that breaks off ends with a terminal event", () => {
  const bytes = whole();
  const half = bytes.subarray(0, Buffer.from(bytes).indexOf("event: response.output_text.done"));
  for (const to of ["open-responses", "chat-completions", "anthropic", "ag-ui", "ui-message-stream"]) {
    const converter = new Converter({ to, options: { thread_id: "t" } });
    const sent = converter.feed(half);
    assert.ok(sent.length > 0);
    assert.match(new TextDecoder().decode(converter.finish()), /ended before a terminal event/);
    converter.free();
  }
});
