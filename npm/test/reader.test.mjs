// The reader as a JavaScript object: events, snapshots, iteration, errors, memory. What the stream means is the vectors' business.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DeltafoldError, eventInfo, LimitExceeded, Misuse, PartialJson, partialJson, Reader, readEvents, ResponseEventStream, StrictViolation } from "deltafold";

const utf8 = new TextEncoder();
const frame = (payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
const delta = (number, text, more = {}) => ({ type: "response.output_text.delta", sequence_number: number, item_id: "msg_1", output_index: 0, content_index: 0, delta: text, logprobs: [], ...more });
const part = (text) => ({ type: "output_text", text, annotations: [], logprobs: [] });
const message = (status, content) => ({ type: "message", id: "msg_1", status, role: "assistant", content });
const response = (status, output, more = {}) => ({ id: "resp_1", object: "response", status, model: "m", output, ...more });

function stream(texts = ["Hel", "lo \u{1F44B}", " w\u00f6rld"]) {
  const text = texts.join("");
  let number = 0;
  const payloads = [
    { type: "response.created", sequence_number: number++, response: response("in_progress", []) },
    { type: "response.output_item.added", sequence_number: number++, output_index: 0, item: message("in_progress", []) },
    { type: "response.content_part.added", sequence_number: number++, item_id: "msg_1", output_index: 0, content_index: 0, part: part("") },
    ...texts.map((piece) => delta(number++, piece)),
    { type: "response.output_text.done", sequence_number: number++, item_id: "msg_1", output_index: 0, content_index: 0, text, logprobs: [] },
    { type: "response.output_item.done", sequence_number: number++, output_index: 0, item: message("completed", [part(text)]) },
    { type: "response.completed", sequence_number: number++, response: response("completed", [message("completed", [part(text)])]) },
  ];
  return { payloads, bytes: utf8.encode(`${payloads.map(frame).join("")}data: [DONE]\n\n`), text };
}

function* cut(bytes, step) {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

test("events are the payloads at any split", () => {
  const { payloads, bytes } = stream();
  for (const step of [bytes.length, 1, 7, 100]) {
    const reader = new Reader();
    const events = [...cut(bytes, step)].flatMap((chunk) => reader.feed(chunk));
    assert.deepEqual(JSON.parse(JSON.stringify(events)), payloads);
    for (const [at, event] of events.entries()) {
      for (const [name, value] of Object.entries(payloads[at])) assert.deepEqual(event[name], value, `${event.type} ${name}`);
      assert.equal(eventInfo(event).index, at);
      assert.equal(eventInfo(event).raw, JSON.stringify(payloads[at]));
    }
    assert.deepEqual(reader.finish(), { outcome: "completed" });
    assert.equal(reader.outputText, stream().text);
    reader.free();
  }
});

test("the payload of every delta is available byte for byte, immediately and later", () => {
  const texts = ["a", " word", "\u00e9", "\u4f60\u597d", "\u{1F44B}", '"', "\\\n", "", "x".repeat(40), "\u00fc".repeat(9), "y".repeat(70_000)];
  const payloads = [];
  // Two interleaved items; numbers get longer, padding varies, and templates are learned again a few times.
  for (let number = 0; number < 1300; number++) {
    const item = number % 7 < 4 ? 0 : 1;
    const text = number % 400 === 399 ? texts[10] : texts[(number * 3) % 10];
    const padding = number % 300 < 250 ? { obfuscation: "p".repeat(number % 23) } : {};
    payloads.push(delta(number, text, { item_id: `msg_${item}`, output_index: item, ...padding }));
  }
  const HEAD = "event: response.output_text.delta\ndata: ".length;
  const frames = payloads.map((payload) => utf8.encode(frame(payload)));
  const whole = utf8.encode(payloads.map(frame).join(""));
  for (const chunks of [frames, [...cut(whole, 16384)], [...cut(whole, 999)]]) {
    const reader = new Reader();
    const events = [];
    let offset = 0;
    for (const chunk of chunks) {
      for (const event of reader.feed(chunk)) {
        const { index, offset: found } = eventInfo(event);
        if (index !== events.length || found !== offset + HEAD) assert.deepEqual([index, found], [events.length, offset + HEAD]);
        offset += frames[events.length].length;
        assert.equal(eventInfo(event).raw, JSON.stringify(payloads[events.length]));
        assert.equal(event.delta, payloads[events.length].delta);
        events.push(event);
      }
    }
    const check = (when) => {
      for (const [at, event] of events.entries()) {
        const { raw } = eventInfo(event);
        if (raw !== JSON.stringify(payloads[at])) assert.equal(raw, JSON.stringify(payloads[at]), `${when}, event ${at}`);
        assert.equal(eventInfo(event).index, at);
        assert.equal(event.obfuscation, payloads[at].obfuscation);
      }
    };
    check("after reading");
    reader.reset();
    reader.feed(frames[5]);
    check("after a reset");
    reader.free();
    check("after freeing");
    assert.equal(events.length, payloads.length);
  }
});

test("no member of a delta is lost, unknown ones included", () => {
  const reader = new Reader();
  const odd = delta(1, "b", { obfuscation: "xyz", acme: { deep: [1] } });
  const [plain, known, strange, after] = reader.feed(utf8.encode([delta(0, "a"), delta(2, "c", { obfuscation: "pad" }), odd, delta(3, "d")].map(frame).join("")));
  assert.deepEqual([plain.delta, known.obfuscation, strange.acme, strange.obfuscation, after.delta], ["a", "pad", { deep: [1] }, "xyz", "d"]);
  assert.deepEqual(strange, odd);
  const logged = delta(4, "e", { logprobs: [{ token: "e", logprob: -0.5, bytes: [101], top_logprobs: [] }] });
  const [event] = reader.feed(utf8.encode(frame(logged)));
  assert.deepEqual(event.logprobs, logged.logprobs);
  assert.deepEqual(JSON.parse(JSON.stringify(event)), logged);
});

test("halves of surrogate pairs and escapes are decoded as by JSON.parse", () => {
  const reader = new Reader();
  const raw = (text) => `data: {"type":"response.output_text.delta","sequence_number":0,"item_id":"m","output_index":0,"content_index":0,"delta":${text}}\n\n`;
  for (const text of ['"\\ud83d"', '"\\n\\u00e9\\ud83d\\ude00"', '"\\u0000"', '"\u{1F600}x"']) {
    assert.equal(reader.feed(utf8.encode(raw(text)))[0].delta, JSON.parse(text));
  }
});

test("a long payload is parsed on first access and is an ordinary object", () => {
  const long = { type: "response.created", sequence_number: 0, response: response("in_progress", [], { instructions: "x".repeat(5000), metadata: JSON.parse('{"__proto__":"safe"}') }), extra: 1 };
  const one = () => new Reader().feed(utf8.encode(frame(long)))[0];
  assert.deepEqual(Object.keys(one()), Object.keys(long));
  assert.deepEqual({ ...one() }, long);
  assert.deepEqual(structuredClone(one()), long);
  const event = one();
  event.extra = 2;
  assert.equal(event.extra, 2);
  assert.equal(event.response.instructions.length, 5000);
  assert.equal({}.safe, undefined);
  const proxy = new Proxy(one(), {});
  assert.equal(proxy.response.instructions.length, 5000);
  assert.equal(Object.create(one()).extra, 1);
  const frozen = Object.freeze(one());
  assert.equal(frozen.response.instructions.length, 5000);
  assert.equal(frozen.response, frozen.response);
  assert.throws(() => (frozen.response = null), TypeError);
  // The cache of unknown names is bounded.
  for (let at = 0; at < 300; at++) {
    const [event] = new Reader().feed(utf8.encode(frame({ ...long, [`name_${at}`]: [at, "y".repeat(100)] })));
    assert.equal(event[`name_${at}`][0], at);
  }
});

test("an object that is parsed later has the members that JSON.parse would give it, in their order", () => {
  const long = JSON.stringify("l".repeat(600));
  const nested = '{"a":[{"b":"}]\\"\\\\"},[ ]],"c":{}}';
  const text = '"a \\"quoted\\" \\\\ ' + "word ".repeat(120) + '\\u00e9\\ud83d \u00e4\u{1F600}"';
  const payloads = [];
  for (const type of ["response.created", "response.output_item.done", "response.output_text.done", "response.function_call_arguments.done", "x:y", "unheard.of"]) {
    const head = `"type":"${type}","sequence_number":7`;
    for (const rest of [
      `"text":${text}`,
      `"item_id":"m","output_index":0,"content_index":0,"text":${text},"logprobs":[]`,
      `"text":${text},"item_id":"m","n":-1.50e3,"t":true,"f":false,"z":null,"e":"","o":{},"l":[ ]`,
      `"text":"short","logprobs":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]},{"token":"]\\"","logprob":-1,"bytes":null,"top_logprobs":[]}${',{"token":"b","logprob":-2,"bytes":[98],"top_logprobs":[]}'.repeat(9)}],"item_id":"m"`,
      `"item":${nested},"big":${long},"arguments":${text},"more":${nested}`,
      `"a":1,"a":${long},"a":2,"b":${long},"b":${nested}`,
      `"__proto__":${long},"constructor":${nested},"2":${long},"1":3,"\\u0061":${long},"":${long}`,
    ]) {
      payloads.push(`{${head},${rest}}`, `{${rest},${head}}`, ` {\t${rest.replaceAll(",", " , ")} ,${head.replaceAll(":", " :  ")}\t} `);
    }
  }
  for (const raw of payloads) {
    const wanted = JSON.parse(raw);
    const one = () => new Reader().feed(utf8.encode(`data: ${raw}\n\n`))[0];
    assert.deepEqual(Object.keys(one()), Object.keys(wanted), raw);
    assert.equal(JSON.stringify(one()), JSON.stringify(wanted), raw);
    assert.deepEqual({ ...one() }, { ...wanted }, raw);
    assert.equal(eventInfo(one()).raw, raw);
    for (const name of Object.keys(wanted)) assert.deepEqual(one()[name], wanted[name], raw);
  }
});

test("items keep their ids, beyond the size of the cache and with indexes of any size", () => {
  const reader = new Reader();
  const payloads = [];
  for (const output of [0, 64, 0, 128, 1, 65, 63, 65535, 65536, 4294967295, 4294967296, 0]) {
    for (const element of [0, 65535, 65536]) {
      for (const number of [payloads.length, payloads.length + 1, 4294967295, 4294967296]) {
        payloads.push(delta(number, `${output}`, { item_id: `msg_${output}`, output_index: output, content_index: element }));
      }
    }
  }
  for (let round = 0; round < 2; round++) assert.deepEqual(JSON.parse(JSON.stringify(reader.feed(utf8.encode(payloads.map(frame).join(""))))), payloads);
  for (const payload of payloads) {
    const [event] = reader.feed(utf8.encode(frame(payload)));
    assert.deepEqual([event.item_id, event.output_index, event.content_index, event.sequence_number], [payload.item_id, payload.output_index, payload.content_index, payload.sequence_number]);
  }
});

test("payloads that are not JSON are events with their text, and findings", () => {
  const reader = new Reader();
  const [event] = reader.feed(utf8.encode("data: {oops\n\n"));
  assert.deepEqual([event.type, eventInfo(event).raw, eventInfo(event).fault], ["", "{oops", "malformed"]);
  assert.equal(reader.findings.length, 1);
  assert.equal(eventInfo({}), undefined);
});

test("snapshots share unchanged parts", () => {
  const { payloads } = stream();
  const reader = new Reader();
  assert.equal(reader.response, null);
  const feed = (payload) => reader.feed(utf8.encode(frame(payload)));
  payloads.slice(0, 4).forEach(feed);
  const other = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "", status: "in_progress" };
  feed({ type: "response.output_item.added", sequence_number: 90, output_index: 1, item: other });
  const first = reader.response;
  assert.equal(reader.response, first, "nothing came, nothing is new");
  assert.equal(first.output[0].content[0].text, "Hel");
  feed(delta(4, "lo"));
  const second = reader.response;
  assert.notEqual(second, first);
  assert.equal(second.output[1], first.output[1], "the other item is the same object");
  assert.equal(second.output[0].content[0].text, "Hello");
  assert.equal(first.output[0].content[0].text, "Hel", "what was given away stays as it was");
  feed({ type: "response.function_call_arguments.delta", sequence_number: 91, item_id: "fc_1", output_index: 1, delta: '{"city":"Par' });
  const third = reader.response;
  assert.equal(third.output[0], second.output[0]);
  assert.equal(third.output[1].arguments, '{"city":"Par');
  assert.deepEqual(reader.partialArguments(1), { city: "Par" });
  feed({ type: "response.output_item.done", sequence_number: 92, output_index: 1, item: { ...other, arguments: '{"city":"Paris"}', status: "completed" } });
  const fourth = reader.response;
  assert.equal(fourth.output[0], third.output[0]);
  assert.deepEqual(JSON.parse(reader.responseJson), fourth);
});

test("a snapshot after every event equals the response as JSON", () => {
  const { bytes } = stream(["a", "\u00e9", "", "\u{1F600}", "b"]);
  const reader = new Reader();
  for (const chunk of cut(bytes, 40)) {
    reader.feed(chunk);
    assert.deepEqual(reader.response ?? {}, JSON.parse(reader.responseJson));
  }
});

test("readEvents takes a Response, its promise, a stream, and iterables of bytes", async () => {
  const { bytes, text, payloads } = stream();
  const web = () => new Response(bytes, { headers: { "content-type": "text/event-stream", "x-ratelimit-remaining-requests": "7" } });
  async function* chunks() {
    yield* cut(bytes, 50);
  }
  for (const make of [web, async () => web(), () => web().body, chunks, () => [...cut(bytes, 9)]]) {
    const events = readEvents(make());
    let count = 0;
    for await (const event of events) {
      count++;
      if (event.type === "response.completed") assert.equal(events.response.status, "completed");
    }
    assert.equal(count, payloads.length);
    assert.equal(events.outputText, text);
    assert.deepEqual(events.outcome, { outcome: "completed" });
  }
  const events = readEvents(web());
  assert.equal((await events.finalResponse()).id, "resp_1");
  assert.equal(events.reader.rateLimits.headers["x-ratelimit-remaining-requests"], "7");
});

test("leaving the loop cancels the source once and keeps the response so far", async () => {
  const { bytes } = stream();
  let cancelled = 0;
  const source = () => new ReadableStream({ pull: (out) => out.enqueue(bytes.subarray(0, 700)), cancel: () => void cancelled++ });
  const events = readEvents(source());
  for await (const event of events) if (event.type === "response.output_item.added") break;
  await events.return();
  assert.equal(cancelled, 1);
  assert.equal(events.response.id, "resp_1");
  assert.equal(events.outcome.outcome, "truncated");
  assert.deepEqual(await events.next(), { value: undefined, done: true });
});

test("a signal ends the iteration with its reason: before, between and while waiting", async () => {
  const { bytes } = stream();
  const stop = new Error("stop");
  await assert.rejects(readEvents([bytes], { signal: AbortSignal.abort(stop) }).next(), stop);
  const between = new AbortController();
  const events = readEvents([bytes], { signal: between.signal });
  await events.next();
  between.abort(stop);
  await assert.rejects(events.next(), stop);
  let cancelled = null;
  const waiting = new AbortController();
  const silent = readEvents(new ReadableStream({ cancel: (reason) => void (cancelled = reason) }), { signal: waiting.signal });
  setTimeout(() => waiting.abort(stop), 5);
  await assert.rejects(silent.next(), stop);
  assert.equal(cancelled, stop);
});

test("an error of the source is thrown unchanged and keeps the response so far", async () => {
  const { bytes } = stream();
  async function* broken() {
    yield bytes.subarray(0, 900);
    throw new Error("connection lost");
  }
  const events = readEvents(broken());
  await assert.rejects(async () => {
    for await (const event of events) void event;
  }, /connection lost/);
  assert.equal(events.response.output.length, 1);
  await assert.rejects(readEvents([["not bytes"]]).next(), { name: "TypeError" });
  await assert.rejects(readEvents("text").next(), { name: "TypeError" });
});

test("ResponseEventStream transforms bytes to events", async () => {
  const { bytes, payloads } = stream();
  const transform = new ResponseEventStream();
  const events = [];
  for await (const event of new Response(bytes).body.pipeThrough(transform)) events.push(event);
  assert.equal(events.length, payloads.length);
  assert.equal(transform.response.status, "completed");
  assert.deepEqual(transform.outcome, { outcome: "completed" });
});

test("strict throws after the events before the fault, and every later call throws the same error", () => {
  const { payloads } = stream();
  const reader = new Reader({ strict: true });
  const events = reader.feed(utf8.encode(`${frame(payloads[0])}data: {oops\n\n`));
  assert.equal(events.length, 1);
  assert.ok(reader.error instanceof StrictViolation && reader.error instanceof DeltafoldError);
  assert.throws(() => reader.feed(new Uint8Array()), StrictViolation);
  assert.equal(reader.response.id, "resp_1");
  reader.reset();
  assert.equal(reader.feed(utf8.encode(frame(payloads[0]))).length, 1);
});

test("errors of limits, options and calls name their cause", () => {
  assert.throws(() => new Reader({ limits: { line_bytes: 10 } }).feed(utf8.encode("data: 0123456789\n\n")), LimitExceeded);
  assert.throws(() => new Reader({ strickt: true }), Misuse);
  assert.throws(() => new Reader({ layers: "all" }), /no validator/);
  assert.throws(() => new Reader().feed("data: 1\n\n"), { name: "TypeError" });
  assert.throws(() => new Reader().feedJson(1), { name: "TypeError" });
  const reader = new Reader();
  reader.finish();
  assert.throws(() => reader.feed(utf8.encode("data: 1\n\n")), Misuse);
  reader.free();
  reader.free();
  assert.throws(() => reader.feed(new Uint8Array()), Misuse);
  assert.throws(() => Reader.restore(new Uint8Array(3)), DeltafoldError);
});

test("a restored reader continues after a reconnect and drops repeated events", () => {
  const { payloads, text } = stream();
  const reader = new Reader();
  payloads.slice(0, 5).forEach((payload) => reader.feed(utf8.encode(frame(payload))));
  const again = Reader.restore(reader.save());
  assert.equal(again.lastSequenceNumber, 4);
  const events = payloads.slice(3).flatMap((payload) => again.feed(utf8.encode(frame(payload))));
  assert.equal(events.length, payloads.length - 5);
  assert.equal(again.outputText, text);
});

test("JSON messages are read without SSE frames", () => {
  const { payloads, text } = stream();
  const reader = new Reader();
  for (const payload of payloads) assert.equal(reader.feedJson(JSON.stringify(payload)).length, 1);
  assert.equal(reader.outputText, text);
});

test("growing memory invalidates no returned object", () => {
  const reader = new Reader();
  const [event] = reader.feed(utf8.encode(frame(delta(0, "kept"))));
  const snapshot = reader.response;
  const big = new Reader();
  const image = "A".repeat(30 << 20);
  const [large] = big.feed(utf8.encode(frame({ type: "response.image_generation_call.partial_image", sequence_number: 0, item_id: "i", output_index: 0, partial_image_index: 0, partial_image_b64: image })));
  assert.deepEqual([event.delta, eventInfo(event).index, snapshot.output[0].content[0].text], ["kept", 0, "kept"]);
  assert.equal(large.partial_image_b64.length, image.length);
  assert.equal(reader.feed(utf8.encode(frame(delta(1, " on"))))[0].delta, " on");
  assert.equal(reader.outputText, "kept on");
  big.free();
});

test("a Buffer, a slice and a large chunk are accepted", () => {
  const { payloads } = stream();
  const many = Array.from({ length: 3000 }, (_, at) => frame(delta(at + 3, `t${at} `))).join("");
  const all = Buffer.from(payloads.slice(0, 3).map(frame).join("") + many);
  const reader = new Reader();
  assert.equal(reader.feed(all.subarray(0)).length, 3003);
  assert.ok(reader.outputText.endsWith("t2999 "));
});

test("ten thousand readers free all memory", () => {
  const { bytes } = stream();
  const round = (count) => {
    for (let i = 0; i < count; i++) {
      const reader = new Reader();
      reader.feed(bytes);
      reader.response;
      reader.free();
    }
  };
  round(500);
  globalThis.gc?.();
  const before = process.memoryUsage();
  round(10_000);
  globalThis.gc?.();
  const after = process.memoryUsage();
  // Wasm memory never shrinks, so its growth is the leak.
  assert.ok(after.external - before.external < 1 << 20, `external grew by ${after.external - before.external}`);
  assert.ok(after.rss - before.rss < 64 << 20, `rss grew by ${after.rss - before.rss}`);
});

test("readers that are not freed are garbage-collected", { skip: !globalThis.gc && "needs --expose-gc" }, async () => {
  const { bytes } = stream();
  const before = process.memoryUsage().external;
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 250; i++) new Reader().feed(bytes);
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert.ok(process.memoryUsage().external - before < 64 << 20);
});

test("finished readers keep no text of their batches", { skip: !globalThis.gc && "needs --expose-gc" }, () => {
  // The engine copies a short part of a text, and keeps the whole text for a long one.
  const text = new TextDecoder().decode(stream(Array(200).fill("word ".repeat(20))).bytes);
  const bytes = utf8.encode(text.replaceAll("msg_1", `msg_${"1".repeat(40)}`));
  const heap = () => (globalThis.gc(), process.memoryUsage().heapUsed);
  const finished = () => {
    const reader = new Reader();
    reader.feed(bytes);
    reader.finish();
    return reader;
  };
  const kept = [finished()];
  const before = heap();
  for (let i = 0; i < 100; i++) kept.push(finished());
  const each = (heap() - before) / 100;
  assert.ok(each < 5000, `${each} bytes of JavaScript each`);
  assert.equal(kept.at(-1).outputText.length, 20_000);
});

test("a finished reader is parked for the memory that it has, not for the length of its stream", () => {
  // The module has parked no reader before its memory is large.
  const large = new Reader();
  for (const event of large.feed(stream(["x".repeat(30 << 20)]).bytes)) assert.ok(event.type);
  large.free();
  const bytes = stream(Array(1000).fill("word ")).bytes;
  assert.ok(bytes.length > 100_000);
  const { park } = Reader.prototype;
  const parked = [];
  Reader.prototype.park = function () {
    parked.push(this);
    park.call(this);
  };
  const readers = new Set();
  try {
    // Together their streams are longer than the bound, and their responses are a tenth of it.
    for (let length = 0; length < 100 << 20; length += bytes.length) {
      const reader = new Reader();
      reader.feed(bytes);
      reader.finish();
      readers.add(reader);
    }
  } finally {
    Reader.prototype.park = park;
  }
  assert.equal(parked.filter((reader) => readers.has(reader)).length, 0);
});

test("`using` disposes of a reader if the engine supports it", () => {
  if (typeof Symbol.dispose !== "symbol") return assert.equal(typeof Reader.prototype.free, "function");
  const reader = new Reader();
  reader[Symbol.dispose]();
  assert.throws(() => reader.response, Misuse);
});

test("growing JSON has a value at every split", () => {
  assert.deepEqual(partialJson('{"a":[1,2,{"b":"te'), { a: [1, { b: "te" }].flatMap((x) => (x === 1 ? [1, 2] : [x])) });
  assert.equal(partialJson(""), undefined);
  assert.deepEqual(partialJson("[tr", { literals: "include" }), [true]);
  const partial = new PartialJson();
  partial.push('{"city":"Par');
  assert.deepEqual([partial.value, partial.complete, partial.unfinished], [{ city: "Par" }, false, { path: "/city", type: "string" }]);
  partial.push('is"}');
  partial.finish();
  assert.equal(partial.complete, true);
  assert.throws(() => partial.push("x"), DeltafoldError);
});
