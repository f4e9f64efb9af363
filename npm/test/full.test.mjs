// Writing, checking and converting as JavaScript: streams, headers, errors.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AgUiStream, check, convert, detectDialect, dialects, explain, Misuse, profiles, Reader, readEvents, UiMessageStream, validate, validateRequest, Writer } from "deltafold/full";

const utf8 = new TextEncoder();
const AG_UI = { thread_id: "t", run_id: "r" };
const options = { id: "resp_1", model: "m-1", created_at: 5 };

function write(writer) {
  writer.message();
  writer.text("Hel");
  writer.text("lo");
  const call = writer.functionCall("weather", "call_1");
  writer.arguments('{"city":"Paris"}', call);
  writer.complete({ input_tokens: 3, output_tokens: 2 });
}

test("a written stream is valid and reads as intended", async () => {
  const writer = new Writer(options);
  write(writer);
  const bytes = writer.take();
  const report = await check([bytes]);
  assert.deepEqual([report.findings, report.outcome.outcome], [[], "completed"]);
  assert.equal(report.response.output[1].arguments, '{"city":"Paris"}');
  assert.deepEqual(report.response, writer.response);
  assert.equal(writer.ended, true);
  assert.throws(() => writer.text("late"), Misuse);
});

test("a writer is the body of a Response", async () => {
  const writer = new Writer(options);
  const web = new Response(writer.readable, { headers: writer.headers });
  setTimeout(() => write(writer), 1);
  const events = readEvents(web);
  await events.finalResponse();
  assert.equal(events.outputText, "Hello");
});

test("cancelling the body cancels the response", async () => {
  const writer = new Writer(options);
  writer.message();
  writer.text("a");
  const body = writer.readable.getReader();
  await body.read();
  await body.cancel();
  assert.equal(writer.response.incomplete_details.reason, "cancelled");
});

test("a writer returns events one at a time", () => {
  const writer = new Writer(options);
  writer.start();
  assert.equal(JSON.parse(writer.pollEvent()).type, "response.created");
  assert.equal(JSON.parse(writer.pollEvent()).type, "response.in_progress");
  assert.equal(writer.pollEvent(), null);
});

test("a validating reader reports faults that a plain one does not check", async () => {
  const bytes = utf8.encode('data: {"type":"response.in_progress"}\n\n');
  const report = await check([bytes]);
  assert.ok(report.counts.errors > 0);
  assert.ok(report.findings.some((finding) => finding.rule === "SSE-04"));
  const some = new Reader({ layers: ["framing"], profile: "open-responses" });
  some.feed(bytes);
  some.finish();
  assert.ok(some.findings.every((finding) => finding.layer !== "schema"));
});

test("single objects are checked", () => {
  assert.deepEqual(validateRequest({ model: 7, input: "Hi" }).map((finding) => finding.path), ["/model"]);
  assert.throws(() => validate("nonsense", {}), Misuse);
});

test("rules are explained", () => {
  assert.match(explain("SEQ-03").says, /\w/);
  assert.equal(explain("NONE-1"), null);
  assert.ok(profiles().includes("openai"));
});

test("a stream is converted to another dialect, whole and piped", async () => {
  const writer = new Writer(options);
  write(writer);
  const bytes = writer.take();
  assert.equal(detectDialect(bytes), "open-responses");
  assert.ok(dialects().some(({ name, written }) => name === "ag-ui" && written));
  const { bytes: out, report } = await convert([bytes], { to: "ag-ui", options: AG_UI });
  assert.match(new TextDecoder().decode(out), /RUN_FINISHED/);
  assert.equal(report.from, "open-responses");
  for (const make of [() => new AgUiStream({ options: AG_UI }), () => new UiMessageStream()]) {
    const text = await new Response(new Response(bytes).body.pipeThrough(make())).text();
    assert.match(text, /Hel/);
  }
  await assert.rejects(convert([bytes], { to: "nowhere" }), Misuse);
});
