// Payloads can hold secrets: nothing that a program prints by habit quotes them. Events and responses are plain objects, so who
// prints one has asked for it; the handles, findings, reports and errors are what ends up in logs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";

import { check, Converter, convert, DeltafoldError, history, PartialJson, partialJson, Reader, readEvents, ResponseEventStream, SseDecoder, ToolLoop, validate, Writer } from "deltafold/full";

const CANARY = "K4N4RY";
const utf8 = new TextEncoder();

/** Appends the canary to every text except type names, which are not payload. */
function marked(value, name = "") {
  if (typeof value === "string") return name === "type" || name === "object" ? value : value + CANARY;
  if (Array.isArray(value)) return value.map((element) => marked(element, name));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, marked(element, key)]));
}

const vectors = new URL("../../tests/vectors/validate/", import.meta.url);
const { streams, response: whole } = JSON.parse(readFileSync(new URL("base/streams.json", vectors), "utf8"));

/** Streams in which much is wrong: marked events of every right stream, each event once left out and once sent twice. */
function* wrongStreams() {
  for (const [name, { events = [] }] of Object.entries(streams)) {
    const filled = events.map((event, at) => ({ ...event, sequence_number: at, ...(event.response && { response: { ...whole, ...event.response, output: [] } }) }));
    const frames = filled.map((event) => `data: ${JSON.stringify(marked(event))}\n\n`);
    for (let at = 0; at < frames.length; at += 3) {
      yield [`${name} without ${at}`, frames.toSpliced(at, 1)];
      yield [`${name} with ${at} twice`, frames.toSpliced(at, 0, frames[at])];
      yield [`${name} with ${at} cut`, frames.with(at, `${frames[at].slice(0, -9)}\n\n`)];
    }
  }
}

/** Everything that a program might print of a thing without asking for its content. */
function printed(thing) {
  const own = Object.prototype.hasOwnProperty.call(thing, "message") ? `${thing.message} ${thing.stack} ${JSON.stringify(thing)}` : "";
  return `${inspect(thing, { depth: Infinity, showHidden: true, getters: false })} ${String(thing)} ${own}`;
}

function quotesNothing(thing, where) {
  const text = printed(thing);
  assert.ok(!text.includes(CANARY), `${where}: ${text.slice(Math.max(0, text.indexOf(CANARY) - 300)).slice(0, 400)}`);
}

test("no finding, error, report or handle quotes a payload", async () => {
  let findings = 0;
  let errors = 0;
  let held = 0;
  for (const [name, frames] of wrongStreams()) {
    const bytes = utf8.encode(frames.join(""));
    for (const strict of [false, true]) {
      const reader = new Reader({ layers: "all", profile: "open-responses", strict });
      try {
        reader.feed(bytes);
        if (reader.error !== null) throw reader.error;
      } catch (error) {
        assert.ok(error instanceof DeltafoldError);
        quotesNothing(error, name);
        errors++;
      }
      try {
        reader.finish();
      } catch (error) {
        assert.ok(error instanceof DeltafoldError);
        quotesNothing(error, name);
      }
      held += JSON.stringify(reader.response).includes(CANARY) ? 1 : 0;
      for (const finding of reader.findings) {
        findings++;
        assert.ok(!JSON.stringify(finding).includes(CANARY), `${name}: ${JSON.stringify(finding)}`);
      }
      quotesNothing(reader, name);
      reader.free();
    }
    // The response and the outcome are payload by definition, and are read by name.
    const { findings: found, counts, events } = await check([bytes]);
    quotesNothing({ found, counts, events }, name);
  }
  assert.ok(findings > 1000 && errors > 100 && held > 100, `${findings} findings, ${errors} errors, ${held} responses with the canary`);
});

test("objects with a payload do not print it", async () => {
  const delta = { type: "response.output_text.delta", sequence_number: 0, item_id: CANARY, output_index: 0, content_index: 0, delta: CANARY };
  const bytes = utf8.encode(`id: ${CANARY}\ndata: ${JSON.stringify(delta)}\n\ndata: ${CANARY}`);
  const iterator = readEvents([bytes, bytes]);
  await iterator.next();
  quotesNothing(iterator, "readEvents");
  const events = new ResponseEventStream();
  const writing = events.writable.getWriter();
  void writing.write(bytes);
  await events.readable.getReader().read();
  quotesNothing(events.reader, "ResponseEventStream.reader");
  await writing.abort();
  const decoder = new SseDecoder();
  assert.equal(decoder.feed(bytes).length, 1);
  quotesNothing(decoder, "SseDecoder");
  const growing = new PartialJson();
  growing.push(`{"a":"${CANARY}`);
  quotesNothing(growing, "PartialJson");
  const writer = new Writer({ id: CANARY, model: CANARY });
  writer.message();
  writer.text(CANARY);
  quotesNothing(writer, "Writer");
  const loop = new ToolLoop({ model: CANARY, input: CANARY });
  quotesNothing(loop, "ToolLoop");
  const converter = new Converter({ from: "open-responses", to: "anthropic" });
  converter.feed(bytes);
  quotesNothing(converter, "Converter");
  quotesNothing(converter.report, "Converter.report");
});

test("no refused call quotes its argument", async () => {
  const secret = { type: CANARY, role: CANARY, content: CANARY, name: CANARY, [CANARY]: CANARY };
  const writer = new Writer({ id: "resp_1" });
  const calls = {
    json: () => new Reader().feedJson(secret),
    bytes: () => new Reader().feed(CANARY),
    restore: () => Reader.restore(utf8.encode(CANARY)),
    request: () => new Reader({ layers: "all" }).noteRequest(CANARY),
    partial: () => partialJson(`{"a":"${CANARY}"} ${CANARY}`),
    growing: () => {
      const growing = new PartialJson();
      growing.push(`{"a":"${CANARY}"} ${CANARY}`);
    },
    intent: () => writer.apply({ do: "text", text: CANARY, item: 9 }),
    text: () => writer.apply(`{"do":"text","text":"${CANARY}`),
    late: () => {
      writer.message();
      writer.text(CANARY);
      writer.complete();
      writer.text(CANARY);
    },
    item: () => new Writer({ id: "resp_1" }).item(secret),
    history: () => history(secret, [{ response: secret }, CANARY]),
  };
  let refused = 0;
  for (const [name, refusedCall] of Object.entries(calls)) {
    try {
      refusedCall();
    } catch (error) {
      refused++;
      quotesNothing(error, name);
    }
  }
  assert.ok(refused >= 9, `${refused} were refused`);
  for (const finding of validate("request", JSON.stringify(secret))) quotesNothing(finding, "validate");
  const broken = utf8.encode(`data: {"type":"message_start","message":"${CANARY}"}\n\ndata: ${CANARY}\n\n`);
  const { report } = await convert([broken], { from: "anthropic", to: "open-responses" });
  assert.ok(report.findings.length > 0);
  quotesNothing(report, "convert");
});
