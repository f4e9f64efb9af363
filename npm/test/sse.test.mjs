// The SSE decoder as a JavaScript object: arguments, results, exceptions.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { DeltafoldError, LimitExceeded, Misuse, SseDecoder, version } from "deltafold";

const bytes = (text) => new TextEncoder().encode(text);
const STREAM = bytes("event: greeting\ndata: hel\ndata: lo\nid: 7\r\n\r\n: idle\ndata: \u00c9\nretry: 250\n\n");

function read(stream, step) {
  const decoder = new SseDecoder();
  const frames = [];
  for (let start = 0; start < stream.length; start += step) frames.push(...decoder.feed(stream.subarray(start, start + step)));
  decoder.free();
  return frames;
}

test("the module has the version of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(version(), manifest.version);
});

test("frames do not depend on the split", () => {
  const whole = read(STREAM, STREAM.length);
  assert.deepEqual(whole, [
    { event: "greeting", data: "hel\nlo", id: "7", retry: null, offset: 0 },
    { event: "", data: "\u00c9", id: "7", retry: 250, offset: 44 },
  ]);
  for (let step = 1; step < STREAM.length; step++) assert.deepEqual(read(STREAM, step), whole);
});

test("a Buffer and a slice of a larger buffer are accepted", () => {
  assert.equal(new SseDecoder().feed(Buffer.from("data: 1\n\n"))[0].data, "1");
  assert.equal(new SseDecoder().feed(bytes("xxdata: 1\n\nxx").subarray(2, 11))[0].data, "1");
});

test("an argument that is not bytes is a TypeError that names the type", () => {
  for (const wrong of ["data: 1\n\n", null, undefined, 7, [1], new ArrayBuffer(1)]) {
    assert.throws(() => new SseDecoder().feed(wrong), { name: "TypeError", message: /^expected a Uint8Array, found / });
  }
});

test("after a limit the earlier frames are returned and then every call throws", () => {
  const decoder = new SseDecoder();
  const long = new Uint8Array((64 << 20) + 32).fill(0x78);
  long.set(bytes("data: 1\n\ndata: "));
  assert.deepEqual(decoder.feed(long).map((frame) => frame.data), ["1"]);
  for (let i = 0; i < 2; i++) {
    assert.throws(
      () => decoder.feed(new Uint8Array()),
      (error) => error instanceof LimitExceeded && error instanceof DeltafoldError && error.code === "limit.line",
    );
  }
  decoder.reset();
  assert.equal(decoder.feed(bytes("data: 2\n\n"))[0].data, "2");
});

test("a freed decoder throws a clear error and can be freed again", () => {
  const decoder = new SseDecoder();
  decoder.free();
  decoder.free();
  assert.throws(() => decoder.feed(bytes("")), Misuse);
});
