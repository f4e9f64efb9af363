// readEvents and readBatches: ends, aborts, resuming, structured output, and what an iteration costs in memory and listeners.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

import { Misuse, readBatches, readEvents, Reader, ResponseFailed, SchemaViolation } from "deltafold";
import { isOpenAIEvent } from "deltafold/openai";

const utf8 = new TextEncoder();
const frame = (payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
const delta = (number, text, more = {}) => ({ type: "response.output_text.delta", sequence_number: number, item_id: "msg_1", output_index: 0, content_index: 0, delta: text, ...more });
const response = (status, text) => ({ id: "resp_1", object: "response", created_at: 1, status, model: "m", output: text === undefined ? [] : [{ type: "message", id: "msg_1", status: "completed", role: "assistant", content: [{ type: "output_text", text, annotations: [], logprobs: [] }] }] });
const created = { type: "response.created", sequence_number: 0, response: response("in_progress") };
const completed = (number, text) => ({ type: "response.completed", sequence_number: number, response: response("completed", text) });
const bytes = (...payloads) => utf8.encode(payloads.map(frame).join(""));
async function* chunks(...list) {
  yield* list;
}
const texts = async (events) => {
  const found = [];
  for await (const event of events) if (event.type === "response.output_text.delta") found.push(event.delta);
  return found.join("|");
};
/** A source that gives some chunks and then breaks. */
const breaking = (...list) => new ReadableStream({ pull: (out) => (list.length > 0 ? out.enqueue(list.shift()) : out.error(new Error("gone"))) }, { highWaterMark: 0 });

test("readBatches returns the events of a chunk at once", async () => {
  const events = readBatches(chunks(bytes(created, delta(1, "a")), bytes(delta(2, "b")).subarray(0, 30), bytes(delta(2, "b")).subarray(30), bytes(completed(3, "ab"))));
  const sizes = [];
  for await (const batch of events) sizes.push(batch.map((event) => event.type.slice(9)).join());
  assert.deepEqual(sizes, ["created,output_text.delta", "output_text.delta", "completed"]);
  assert.deepEqual([events.outcome, events.outputText], [{ outcome: "completed" }, "ab"]);
});

test("an end, an error of the source, an abort and a break leave the same outcome", async () => {
  const truncated = { outcome: "truncated", last_sequence_number: 1 };
  const given = () => bytes(created, delta(1, "a"));
  for (const make of [readEvents, readBatches]) {
    const ended = make(chunks(given()));
    for await (const _ of ended);
    const broken = make(breaking(given()));
    await assert.rejects(async () => { for await (const _ of broken); }, /gone/);
    const abort = new AbortController();
    const aborted = make(new ReadableStream({ start: (out) => out.enqueue(given()) }), { signal: abort.signal });
    await assert.rejects(async () => {
      for await (const _ of aborted) setTimeout(() => abort.abort(new Error("enough")), 1);
    }, /enough/);
    const left = make(chunks(given(), given()));
    let count = 0;
    for await (const _ of left) if (++count === (make === readEvents ? 2 : 1)) break;
    for (const events of [ended, broken, aborted, left]) {
      assert.deepEqual([events.outcome, events.outputText, events.response.status, events.response.error.code], [truncated, "a", "failed", "stream_truncated"]);
      assert.throws(() => events.throwIfFailed(), (error) => error instanceof ResponseFailed && error.code === "outcome.truncated" && error.sequenceNumber === 1);
    }
  }
});

test("the outcome is null while a stream is read", async () => {
  const events = readEvents(chunks(bytes(created, delta(1, "a"))));
  assert.equal(events.outcome, null);
  await events.next();
  assert.equal(events.outcome, null);
  assert.throws(() => events.throwIfFailed(), Misuse);
});

test("a truncated stream is resumed, with and without repeated events, also twice", async () => {
  const events = readEvents(breaking(bytes(created, delta(1, "Hel"))));
  await assert.rejects(texts(events), /gone/);
  assert.equal(events.response.status, "failed");
  const before = events.findings.length;
  assert.equal(events.reader.lastSequenceNumber, 1);
  // The server repeats one event, and the connection ends in the middle of a block.
  assert.equal(await texts(events.resume(chunks(bytes(delta(1, "Hel"), delta(2, "lo")), utf8.encode("data: {")))), "lo");
  assert.deepEqual([events.outcome.outcome, events.outputText], ["truncated", "Hello"]);
  assert.equal(await texts(events.resume(chunks(bytes(delta(3, "!"), completed(4, "Hello!"))))), "!");
  assert.deepEqual([events.outcome, events.outputText, events.response.status], [{ outcome: "completed" }, "Hello!", "completed"]);
  assert.ok(before > 0 && events.findings.length > 0);
  assert.equal(events.findings.filter(({ repair }) => repair === "closed_at_end").length, 0, "the end of a broken connection is no end of the stream");
  assert.equal(events.throwIfFailed(), events);
  assert.throws(() => events.resume(chunks()), Misuse);
});

test("resuming keeps the signal, or takes another one", async () => {
  const abort = new AbortController();
  const events = readEvents(breaking(bytes(created, delta(1, "a"))), { signal: abort.signal });
  await assert.rejects(texts(events), /gone/);
  const endless = () => new ReadableStream({ start: (out) => out.enqueue(bytes(delta(2, "b"))) });
  events.resume(endless());
  await events.next();
  setTimeout(() => abort.abort(new Error("first")), 1);
  await assert.rejects(events.next(), /first/);
  const other = new AbortController();
  events.resume(endless(), { signal: other.signal });
  const next = events.next();
  setTimeout(() => other.abort(new Error("other")), 1);
  await assert.rejects(next, /other/);
});

test("readEvents goes on with a reader that was restored", async () => {
  const first = new Reader();
  first.feed(bytes(created, delta(1, "Hel")));
  const reader = Reader.restore(first.save());
  const events = readEvents(chunks(bytes(delta(2, "lo"), completed(3, "Hello"))), { reader });
  assert.equal(await texts(events), "lo");
  assert.equal(events.reader, reader);
  assert.equal((await events.finalResponse()).output[0].content[0].text, "Hello");
});

test("calls of next that overlap get their events in order", async () => {
  const events = readEvents(chunks(bytes(created, delta(1, "a")), bytes(delta(2, "b")), bytes(completed(3, "ab"))));
  const results = await Promise.all(Array.from({ length: 6 }, () => events.next()));
  assert.deepEqual(results.map(({ value, done }) => (done ? "end" : value.sequence_number)), [0, 1, 2, 3, "end", "end"]);
});

test("a signal gets one listener for a whole stream, and none is left", async () => {
  const abort = new AbortController();
  const { signal } = abort;
  let [added, removed] = [0, 0];
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args) => (added++, addEventListener.apply(signal, args));
  signal.removeEventListener = (...args) => (removed++, removeEventListener.apply(signal, args));
  const body = new ReadableStream({ start: (out) => { for (let number = 0; number < 50; number++) out.enqueue(bytes(delta(number, "x"))); out.close(); } });
  await texts(readEvents(body, { signal }));
  assert.deepEqual([added, removed > 0], [1, true]);
});

test("an error that the stream reports is a failure with its code", async () => {
  const events = readEvents(chunks(utf8.encode('data: {"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded","param":null}}\n\n')));
  await events.finalResponse();
  assert.deepEqual([events.outcome.outcome, events.outcome.error.code], ["failed", "rate_limit_exceeded"]);
  assert.throws(() => events.throwIfFailed(), (error) => error.failure.message === "slow down" && /has failed: rate_limit_exceeded$/.test(error.message) && !JSON.stringify(error).includes("slow"));
});

test("an error page is a failure with its status", async () => {
  const page = new Response("<html>\n<body>502 Bad Gateway</body></html>\n", { status: 502, headers: { "content-type": "text/html" } });
  const events = readEvents(page);
  await events.finalResponse();
  assert.equal(events.outcome.outcome, "failed");
  assert.match(JSON.stringify(events.outcome.error), /502/);
});

test("a copy of an event has everything that its type has", () => {
  const logprobs = [{ token: "a", logprob: -0.5, bytes: [97], top_logprobs: [] }];
  const long = { ...completed(9, "x".repeat(2000)), extra: 1 };
  const payloads = [delta(0, "a", { logprobs: [] }), delta(1, "b", { logprobs: [] }), delta(2, "c", { logprobs }), delta(3, "d"), delta(4, "e", { logprobs: [] }), long];
  for (const feed of [(reader) => reader.feed(bytes(...payloads)), (reader) => payloads.flatMap((payload) => reader.feed(bytes(payload)))]) {
    for (const [at, event] of feed(new Reader()).entries()) {
      assert.deepEqual({ ...event }, payloads[at]);
      assert.deepEqual(structuredClone(event), payloads[at]);
      assert.deepEqual(event.logprobs, payloads[at].logprobs);
    }
  }
});

test("the logprobs of a delta are copied also where two items take turns and the text looks like a member", () => {
  const payloads = Array.from({ length: 60 }, (_, number) => delta(number, number % 5 === 0 ? ',"logprobs":[]' : `t${number}`, { item_id: `msg_${number % 2}`, output_index: number % 2, ...(number < 40 ? { logprobs: [] } : {}), obfuscation: "x".repeat(number % 7) }));
  const reader = new Reader();
  for (const [at, event] of payloads.map((payload) => reader.feed(bytes(payload))[0]).entries()) {
    const { obfuscation, ...wanted } = payloads[at];
    assert.deepEqual({ ...event }, wanted);
    assert.equal(event.obfuscation, obfuscation);
  }
});

test("the logprobs of a delta are copied whatever spaces its payload has and wherever they are in it", () => {
  const texts = ["a", "logprobs", '"logprobs":[]', "\u65e5\u672c", "b", "", "c"];
  const forms = [(payload) => JSON.stringify(payload), (payload) => JSON.stringify(payload, null, 1).replaceAll("\n", ""), (payload) => JSON.stringify(payload).replaceAll('":', '" : ')];
  for (const logprobs of [[], undefined, [{ token: "a", logprob: -0.5, bytes: [97], top_logprobs: [] }]]) {
    for (const form of forms) {
      for (const first of [false, true]) {
        const payloads = Array.from({ length: 30 }, (_, number) => ({ ...(first && { logprobs }), ...delta(number, texts[number % texts.length]), logprobs }));
        const whole = utf8.encode(payloads.map((payload) => `data: ${form(payload)}\n\n`).join(""));
        for (const [at, event] of new Reader().feed(whole).entries()) assert.deepEqual({ ...event }, JSON.parse(form(payloads[at])), form(payloads[at]));
      }
    }
  }
});

test("streams that nobody frees take bounded memory without a macrotask between them", async () => {
  const stream = [bytes(created, delta(1, "x".repeat(2000))), bytes(completed(2, "x".repeat(2000)))];
  const kept = [];
  let before = 0;
  for (let count = 0; count < 6000; count++) {
    const events = readEvents(stream);
    for await (const _ of events);
    if (count % 100 === 0) kept.push(events);
    if (count === 1000) before = process.memoryUsage().rss;
  }
  const grown = (process.memoryUsage().rss - before) >> 20;
  assert.ok(grown < 150, `grew by ${grown} MiB`);
  for (const events of kept) {
    assert.deepEqual([events.outcome, events.outputText.length, events.response.status, events.findings.length], [{ outcome: "completed" }, 2000, "completed", events.reader.findingCounts.notes + events.reader.findingCounts.warnings + events.reader.findingCounts.errors]);
    assert.throws(() => events.reader.feed(stream[0]), Misuse);
  }
});

test("a parked reader answers as before", async () => {
  const all = [created, delta(2, '{"a":[1,{"b":"c'), { type: "acme:odd", sequence_number: 3 }];
  const facts = (reader) => [reader.outcome, reader.response, reader.responseJson, reader.outputText, reader.findings, reader.findingCounts, reader.lastSequenceNumber, reader.eventCount, reader.activity, reader.offset, reader.rateLimits, reader.partialText(0, 0), reader.finish()];
  const reader = new Reader();
  reader.noteHeaders([["x-ratelimit-remaining-requests", "5"]]);
  reader.feed(bytes(...all));
  reader.finish();
  const before = facts(reader);
  const { response } = reader;
  reader.park();
  assert.deepEqual(facts(reader), before);
  assert.equal(reader.response.output[0], response.output[0], "unchanged items are the same objects");
  reader.park();
  assert.ok(reader.save().length > 100);
  reader.free();
  assert.throws(() => reader.response, Misuse);
});

test("structured output grows, typed by a schema, and is checked at the end", async () => {
  const text = '{"title":"Soup","steps":["chop","cook"],"minutes":20}';
  const pieces = text.match(/.{1,7}/g);
  const source = () => chunks(...[created, ...pieces.map((piece, at) => delta(at + 1, piece)), completed(pieces.length + 1, text)].map((payload) => bytes(payload)));
  const schemas = [
    z.object({ title: z.string(), steps: z.array(z.string()), minutes: z.number() }),
    v.object({ title: v.string(), steps: v.array(v.string()), minutes: v.number() }),
    type({ title: "string", steps: "string[]", minutes: "number" }),
  ];
  for (const schema of schemas) {
    const recipe = readEvents(source()).parsePartial(schema);
    const seen = [];
    for await (const partial of recipe) seen.push(partial);
    assert.deepEqual(seen[0], {});
    assert.deepEqual(seen.at(-1), JSON.parse(text));
    assert.equal(new Set(seen).size, seen.length, "each value is another one");
    const withSteps = seen.filter(({ steps }) => steps?.length === 2 && steps[1] === "cook");
    assert.ok(withSteps.length > 1 && withSteps.every(({ steps }) => steps === withSteps[0].steps), "what did not change is the same object");
    assert.deepEqual(await recipe.value(), JSON.parse(text));
  }
  const wrong = readEvents(source()).parsePartial(z.object({ title: z.number() }));
  await assert.rejects(wrong.value(), (error) => error instanceof SchemaViolation && error.issues.length === 1 && error.issues[0].path[0] === "title");
  const cut = readBatches(chunks(bytes(created, delta(1, '{"title":"So')))).parsePartial(schemas[0]);
  await assert.rejects(cut.value(), ResponseFailed);
  assert.deepEqual(cut.partial, { title: "So" });
});

test("isOpenAIEvent tells the events that the package openai knows", () => {
  assert.deepEqual([created, delta(1, "a"), { type: "acme:odd" }, { type: "keepalive" }].map(isOpenAIEvent), [true, true, false, false]);
});
