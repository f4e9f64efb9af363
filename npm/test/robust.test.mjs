// What a host can do to a reader, and what a reader says to it: rows B43 to B46 of docs/robustness.md. A worker and a script policy
// in a page are in test/browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { DeltafoldError, eventInfo, Fatal, Misuse, Reader, readEvents, ResponseEventStream } from "deltafold";

const utf8 = new TextEncoder();
const delta = (number, text) => ({ type: "response.output_text.delta", sequence_number: number, item_id: "msg_1", output_index: 0, content_index: 0, delta: text });
const frame = (payload) => utf8.encode(`data: ${JSON.stringify(payload)}\n\n`);
const frames = (...texts) => Buffer.concat(texts.map((text, at) => frame(delta(at, text))));
const textOf = (response) => response.output[0].content[0].text;

/** A source that counts how often it is cancelled, and may fail. */
function source(chunks, { fails } = {}) {
  const state = { cancelled: 0, reason: undefined };
  let at = 0;
  const stream = new ReadableStream(
    {
      pull: (out) => {
        if (at < chunks.length) out.enqueue(chunks[at++]);
        else if (fails) out.error(fails);
        else out.close();
      },
      cancel: (reason) => {
        state.cancelled++;
        state.reason = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

test("the response is the state after the returned event, also inside a chunk", async () => {
  const chunk = frames("a", "b", "c", "d");
  for (const pieces of [[chunk], [chunk.subarray(0, 200), chunk.subarray(200)], [...chunk].map((byte) => Uint8Array.of(byte))]) {
    const events = readEvents(pieces);
    let text = "";
    for await (const event of events) {
      text += event.delta;
      assert.equal(textOf(events.response), text);
      assert.equal(events.outputText, text);
      assert.equal(events.reader.eventCount, text.length);
      assert.equal(events.reader.lastSequenceNumber, text.length - 1);
    }
    assert.equal(text, "abcd");
    assert.equal(events.outcome.outcome, "truncated");
  }
});

test("a chunk larger than the buffer is returned event by event, too", async () => {
  const texts = Array.from({ length: 3000 }, (_, at) => `t${at} `);
  const events = readEvents([frames(...texts)]);
  let count = 0;
  for await (const event of events) {
    assert.equal(event.delta, texts[count++]);
    if (count % 500 === 0) assert.equal(events.outputText, texts.slice(0, count).join(""));
  }
  assert.equal(count, 3000);
});

test("an event without its blank line is returned before the outcome", async () => {
  const events = readEvents([frame(delta(0, "a")).subarray(0, -1)]);
  const seen = [];
  for await (const event of events) seen.push([event.delta, events.outcome]);
  assert.deepEqual(seen, [["a", null]]);
  assert.equal(events.outcome.outcome, "truncated");
});

test("only the iterator may feed its reader while events are pending, and continues after another attempt", async () => {
  const events = readEvents([frames("a", "b")]);
  let text = "";
  for await (const event of events) {
    text += event.delta;
    if (text === "a") {
      assert.throws(() => events.reader.feed(frame(delta(9, "x"))), (error) => error instanceof Misuse && /iterator/.test(error.message));
      assert.throws(() => events.reader.feedJson("{}"), Misuse);
      assert.throws(() => events.reader.end(), Misuse);
    }
  }
  assert.equal(text, "ab");
});

test("returned objects stay valid when the module's memory grows, and chunks may be changed after feeding", () => {
  const reader = new Reader();
  const chunk = frames("kept");
  const [event] = reader.feed(chunk);
  const snapshot = reader.response;
  chunk.fill(0);
  const image = "A".repeat(8 << 20);
  const big = new Reader();
  big.feed(frame({ type: "response.image_generation_call.partial_image", sequence_number: 0, item_id: "i", output_index: 0, partial_image_index: 0, partial_image_b64: image }));
  assert.deepEqual([event.delta, textOf(snapshot), eventInfo(event).raw], ["kept", "kept", JSON.stringify(delta(0, "kept"))]);
  assert.deepEqual(JSON.parse(JSON.stringify(event)), delta(0, "kept"));
  big.free();
  reader.free();
});

test("a shared buffer is read, and a detached one has no bytes", () => {
  const bytes = frames("a");
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  assert.equal(new Reader().feed(shared)[0].delta, "a");
  const detached = new Uint8Array(bytes);
  structuredClone(detached, { transfer: [detached.buffer] });
  assert.deepEqual(new Reader().feed(detached), []);
});

test("a freed reader throws a clear error and can be freed again", () => {
  const reader = new Reader();
  reader.feed(frames("a"));
  reader.free();
  reader.free();
  for (const use of [() => reader.feed(frames("b")), () => reader.response, () => reader.findings, () => reader.save(), () => reader.finish()]) {
    assert.throws(use, (error) => error instanceof Misuse && /freed/.test(error.message));
  }
});

test("leaving the loop cancels the source once", async () => {
  const { stream, state } = source([frames("a", "b"), frames("c")]);
  const events = readEvents(stream);
  for await (const event of events) if (event.delta === "a") break;
  assert.equal(state.cancelled, 1);
  await events.return();
  assert.equal(state.cancelled, 1);
  assert.deepEqual(await events.next(), { value: undefined, done: true });
  assert.ok(textOf(events.response).startsWith("a"));
});

test("a signal ends the reading before, between and after", async () => {
  const before = source([frames("a")]);
  await assert.rejects(async () => {
    for await (const event of readEvents(before.stream, { signal: AbortSignal.abort(new Error("never")) })) assert.fail(event.type);
  }, /never/);
  assert.equal(before.state.cancelled, 1);

  const between = source([frames("a", "b"), frames("c")]);
  const abort = new AbortController();
  const events = readEvents(between.stream, { signal: abort.signal });
  await assert.rejects(async () => {
    for await (const event of events) if (event.delta === "a") abort.abort(new Error("enough"));
  }, /enough/);
  assert.deepEqual([between.state.cancelled, between.state.reason?.message, textOf(events.response)], [1, "enough", "a"]);

  const after = source([frames("a")]);
  const late = new AbortController();
  const whole = readEvents(after.stream, { signal: late.signal });
  for await (const event of whole) assert.equal(event.delta, "a");
  late.abort(new Error("too late"));
  assert.deepEqual([after.state.cancelled, textOf(whole.response)], [0, "a"]);
});

test("a source that fails in the middle throws its own error and keeps the response so far", async () => {
  const fails = new Error("connection reset");
  const { stream } = source([frames("a", "b")], { fails });
  const events = readEvents(stream);
  const seen = [];
  await assert.rejects(async () => {
    for await (const event of events) seen.push(event.delta);
  }, (error) => error === fails);
  assert.deepEqual([seen, textOf(events.response)], [["a", "b"], "ab"]);
});

test("a transform passes the error on and releases its source", async () => {
  const { stream } = source([frames("a")], { fails: new Error("gone") });
  await assert.rejects(async () => {
    for await (const event of stream.pipeThrough(new ResponseEventStream())) assert.equal(event.delta, "a");
  }, /gone/);
});

/** The module with one exported function that traps at once. */
function trapping(module, name) {
  const bytes = Buffer.from(module);
  let at = 8;
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const skip = (count) => (at += count);
  let [imports, index] = [0, -1];
  while (at < bytes.length) {
    const [id, size] = [bytes[at++], number()];
    const end = at + size;
    if (id === 2) {
      for (let count = number(); count > 0; count--) {
        skip(number());
        skip(number());
        if (bytes[at++] !== 0) throw new Error("only functions are imported");
        number();
        imports++;
      }
    } else if (id === 7) {
      for (let count = number(); count > 0; count--) {
        const length = number();
        const found = bytes.toString("latin1", at, at + length).startsWith(name);
        skip(length);
        const kind = bytes[at++];
        const entry = number();
        if (found && kind === 0) index = entry;
      }
    } else if (id === 10) {
      number();
      for (let entry = imports; entry < index; entry++) skip(number());
      number();
      for (let locals = number(); locals > 0; locals--) {
        number();
        number();
      }
      // `unreachable`, and the rest of the body is never reached.
      bytes[at] = 0;
      return bytes;
    }
    at = end;
  }
  throw new Error(`there is no ${name}`);
}

test("a trap is a typed fatal error, the reader is unusable, and a new one works", async () => {
  const slim = await import("deltafold/slim");
  slim.initSync(trapping(readFileSync(new URL(import.meta.resolve("deltafold/core.wasm"))), "reader_feed_json"));
  const reader = new slim.Reader();
  assert.equal(reader.feed(frames("a"))[0].delta, "a");
  assert.throws(() => reader.feedJson("{}"), (error) => error instanceof slim.Fatal && error instanceof slim.DeltafoldError && error.cause instanceof WebAssembly.RuntimeError);
  for (const use of [() => reader.feed(frames("b")), () => reader.response, () => reader.feedJson("{}")]) {
    assert.throws(use, (error) => error instanceof slim.Fatal && /unusable/.test(error.message));
  }
  reader.free();
  const fresh = new slim.Reader();
  assert.equal(fresh.feed(frames("b"))[0].delta, "b");
  fresh.free();
});

test("two copies of the package work in one program and recognize their own errors", async () => {
  const other = await import(`${import.meta.resolve("deltafold")}?copy`);
  assert.notEqual(other.Reader, Reader);
  const [mine, theirs] = [new Reader(), new other.Reader()];
  assert.deepEqual([mine.feed(frames("a"))[0].delta, theirs.feed(frames("b"))[0].delta], ["a", "b"]);
  assert.deepEqual([mine.outputText, theirs.outputText], ["a", "b"]);
  theirs.free();
  assert.throws(() => theirs.feed(frames("c")), (error) => error instanceof other.Misuse && !(error instanceof DeltafoldError));
  assert.equal((await import("deltafold")).Reader, Reader, "to import twice is the same copy");
});

/** The errors of two uses of a fresh import, after a preparation of the program; empty without an error. */
function thrownBy(prepare, entry = "deltafold") {
  const program = `${prepare}; import(${JSON.stringify(import.meta.resolve(entry))}).then(({ Reader }) => {
    for (let i = 0; i < 2; i++) {
      try { new Reader(); console.log(""); } catch (error) { console.log(error.message); }
    }
  })`;
  return execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }).split("\n").slice(0, 2);
}

test("without WebAssembly every use names what is missing", () => {
  for (const message of thrownBy("delete globalThis.WebAssembly")) assert.match(message, /needs WebAssembly/);
});

test("if compiling is forbidden, every use names the policy", () => {
  const blocked = 'WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError("blocked by policy"); } }';
  for (const message of thrownBy(blocked)) assert.match(message, /wasm-unsafe-eval/);
  assert.deepEqual(thrownBy(""), ["", ""]);
  for (const message of thrownBy("", "deltafold/slim")) assert.match(message, /await init\(\) first/);
});

test("an import compiles nothing and loads no streams; the first use compiles, once", () => {
  for (const entry of ["deltafold", "deltafold/full"]) {
    const program = `let compiled = 0, looked = 0;
      const { Module } = WebAssembly;
      WebAssembly.Module = class { constructor(bytes) { compiled++; return new Module(bytes); } };
      Object.defineProperty(WebAssembly.Module, Symbol.hasInstance, { value: (value) => value instanceof Module });
      const { get } = Object.getOwnPropertyDescriptor(globalThis, "TransformStream");
      Object.defineProperty(globalThis, "TransformStream", { configurable: true, get() { looked++; return get.call(globalThis); } });
      import(${JSON.stringify(import.meta.resolve(entry))}).then(({ Reader, version, ResponseEventStream }) => {
        const before = [compiled, looked];
        new Reader(); new Reader(); version();
        const read = [compiled, looked];
        class Mine extends ResponseEventStream {}
        const [mine, other] = [new Mine(), new ResponseEventStream()];
        const streams = [mine, other].every((stream) => stream instanceof TransformStream && stream instanceof ResponseEventStream && stream.readable instanceof ReadableStream);
        console.log(JSON.stringify({ before, read, streams, mine: mine instanceof Mine, compiled }));
      });`;
    const told = JSON.parse(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }));
    assert.deepEqual(told, { before: [0, 0], read: [1, 0], streams: true, mine: true, compiled: 1 }, entry);
  }
});

test("a worker reads, and an event is cloned to it as data", async () => {
  const [event] = new Reader().feed(frames("cloned"));
  const program = `import { parentPort, workerData } from "node:worker_threads";
import { Reader } from ${JSON.stringify(import.meta.resolve("deltafold"))};
parentPort.postMessage([new Reader().feed(workerData.bytes)[0].delta, workerData.event]);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), { workerData: { bytes: frames("there"), event } });
  const [text, clone] = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  assert.equal(text, "there");
  assert.deepEqual(clone, delta(0, "cloned"));
  assert.deepEqual(structuredClone(event), delta(0, "cloned"));
  await worker.terminate();
});

test("the wasm is decoded without Buffer and zlib", () => {
  for (const entry of ["deltafold", "deltafold/full"]) {
    const program = `process.getBuiltinModule = undefined; globalThis.Buffer = undefined; import(${JSON.stringify(import.meta.resolve(entry))}).then(({ version }) => console.log(version()));`;
    assert.match(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }), /^\d+\.\d+\.\d+/);
  }
});
