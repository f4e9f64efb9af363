// Times the asynchronous reading of the npm package beside its peers:  node async.mjs SHAPES [--quick] [--only=recordings]
//
// SHAPES is a folder that deltafold-shapes wrote; with DELTAFOLD_SHARED, the recordings of the corpus are read too, one stream after the
// other. Every contender gets the body of a `fetch` response and joins deltas by part; all of a row must have the same result. Measures
// the CPU time of all threads of the process; contenders of a row run in turn, and a row shows medians in µs per event.
//
// `event` is one event per chunk, `1-3` one to three events per chunk, `16k` chunks of 16 KiB. With `signal`, ours gets an AbortSignal
// that is never aborted; a hand-written loop passes its signal to `fetch`, which costs nothing while reading.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { createParser } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";

import { readBatches, readEvents, ResponseEventStream } from "../../npm/dist/index.js";
import { Folded } from "./contenders.mjs";

const [folder, ...flags] = process.argv.slice(2);
const quick = flags.includes("--quick");
const only = flags.find((flag) => flag.startsWith("--only="))?.slice(7);

/** The chunks as a body of `fetch` gives them. */
function body(chunks) {
  let at = 0;
  const pull = (controller) => (at < chunks.length ? controller.enqueue(chunks[at++]) : controller.close());
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

async function events(chunks, folded, signal) {
  const events = readEvents(body(chunks), { signal });
  for await (const event of events) folded.take(event);
}

async function batches(chunks, folded, signal) {
  for await (const events of readBatches(body(chunks), { signal })) for (const event of events) folded.take(event);
}

/** The loop that a program without a library for it has. */
async function byHand(chunks, folded) {
  const parser = createParser({ onEvent: ({ data }) => data !== "[DONE]" && folded.take(JSON.parse(data)) });
  const decoder = new TextDecoder();
  const reader = body(chunks).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    parser.feed(decoder.decode(value, { stream: true }));
  }
}

async function transform(chunks, folded) {
  for await (const event of body(chunks).pipeThrough(new ResponseEventStream())) folded.take(event);
}

async function transformByHand(chunks, folded) {
  const stream = body(chunks).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of stream) if (data !== "[DONE]") folded.take(JSON.parse(data));
}

const ABORT = new AbortController();
const HAND = "read() + eventsource-parser + JSON.parse";
const CONTENDERS = {
  readEvents: [events, HAND],
  "readEvents, signal": [(chunks, folded) => events(chunks, folded, ABORT.signal), HAND],
  readBatches: [batches, HAND],
  "readBatches, signal": [(chunks, folded) => batches(chunks, folded, ABORT.signal), HAND],
  [HAND]: [byHand, HAND],
  ResponseEventStream: [transform, "EventSourceParserStream + JSON.parse"],
  "EventSourceParserStream + JSON.parse": [transformByHand, "EventSourceParserStream + JSON.parse"],
};

function cut(bytes, how) {
  const chunks = [];
  if (how === "16k") {
    for (let at = 0; at < bytes.length; at += 16384) chunks.push(bytes.subarray(at, at + 16384));
    return chunks;
  }
  const ends = [];
  for (let from = 0, end; (end = bytes.indexOf("\n\n", from)) >= 0; from = end + 2) ends.push(end + 2);
  if (ends.at(-1) !== bytes.length) ends.push(bytes.length);
  for (let at = 0, from = 0; at < ends.length; ) {
    const count = how === "event" ? 1 : 1 + (chunks.length % 3);
    at = Math.min(at + count, ends.length);
    chunks.push(bytes.subarray(from, (from = ends[at - 1])));
  }
  return chunks;
}

const inputs = [["chat (W1)", [readFileSync(join(folder, "W1.sse"))]], ["long chat (W2)", [readFileSync(join(folder, "W2.sse"))]]];
const corpus = process.env.DELTAFOLD_SHARED && join(process.env.DELTAFOLD_SHARED, "corpus/responses");
if (corpus && existsSync(corpus)) {
  const files = readdirSync(corpus).filter((name) => name.endsWith(".sse")).sort();
  // The line ends of a few are CRLF; cutting after events needs the other form, and the loop by hand needs whole payloads.
  const readable = files.map((name) => readFileSync(join(corpus, name))).filter((bytes) => !bytes.includes("\r"));
  inputs.push([`${readable.length} recordings`, readable]);
}

async function run(contender, streams) {
  const found = { events: 0, parts: [] };
  for (const chunks of streams) {
    const folded = new Folded();
    await contender(chunks, folded);
    found.events += folded.events;
    found.parts.push(...[...folded.parts.values()].map((part) => part.text));
    // Streams of a network end in a task of their own, which is when the garbage collector frees readers.
    await new Promise(setImmediate);
  }
  return found;
}

/** Microseconds of processor time since `process.cpuUsage()` returned `start`. */
function used(start) {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

async function timed(contender, streams, times) {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) await run(contender, streams);
  return used(start) / times;
}

console.log("| input | chunks | contender | µs per event | time of its peer ÷ this time |\n| --- | --- | --- | --- | --- |");
for (const [input, whole] of inputs.filter(([input]) => input.includes(only ?? ""))) {
  for (const how of ["event", "1-3", "16k"]) {
    const streams = whole.map((bytes) => cut(bytes, how));
    const state = [];
    let expected;
    for (const [name, [contender, peer]] of Object.entries(CONTENDERS)) {
      const found = await run(contender, streams);
      expected ??= found;
      if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${input} ${how} ${name}: ${found.events} events, expected ${expected.events}`);
      // Warmed up by processor time, because on a busy machine the time on the clock is not enough for the engine's compilers.
      for (const start = process.cpuUsage(); used(start) < (quick ? 100_000 : 600_000); ) await run(contender, streams);
      const once = await timed(contender, streams, 2);
      state.push({ name, contender, peer, times: Math.max(1, Math.round(25_000 / once)), samples: [] });
    }
    for (let round = 0; round < (quick ? 3 : 9); round++) for (const row of state) row.samples.push(await timed(row.contender, streams, row.times));
    const medians = new Map(state.map(({ name, samples }) => [name, samples.sort((a, b) => a - b)[samples.length >> 1] / expected.events]));
    for (const { name, peer } of state) {
      console.log(`| ${input} | ${how} | ${name} | ${medians.get(name).toFixed(3)} | ${name === peer ? "" : (medians.get(peer) / medians.get(name)).toFixed(2)} |`);
    }
  }
}
