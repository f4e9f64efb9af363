// toResponse: headers, heartbeat, failures, and clients that go away.

import assert from "node:assert/strict";
import { test } from "node:test";

import { check, readEvents, UiMessageStream, AgUiStream, Writer } from "deltafold/full";

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
