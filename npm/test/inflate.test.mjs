// Inflating by our own code, which runs where there is no zlib: against what zlib makes in every way that it knows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";

import { buildSync } from "esbuild";

const { outputFiles } = buildSync({ entryPoints: [new URL("../src/inflate.ts", import.meta.url).pathname], format: "esm", write: false });
const { inflate, inflateHere } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

/** Bytes that repeat at random: some as such, some at a distance, some long runs. */
function bytesOf(length, seed) {
  const bytes = new Uint8Array(length);
  let state = seed;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
  for (let at = 0; at < length; ) {
    const times = Math.min(length - at, 1 + random(300));
    const back = random(3) === 0 ? 0 : 1 + random(Math.min(at, 32768));
    for (let i = 0; i < times; i++, at++) bytes[at] = back > 0 && back <= at ? bytes[at - back] : random(back === 0 ? 256 : 4);
  }
  return bytes;
}

const samples = [new Uint8Array(), Uint8Array.of(7), new Uint8Array(70_000), ...[1, 2, 10, 300, 5_000, 200_000].map((length) => bytesOf(length, length))];
const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = constants;

test("what was compressed in any way is inflated to the same", () => {
  const kinds = new Set();
  for (const bytes of samples) {
    for (const level of [0, 1, 6, 9]) {
      for (const strategy of [Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE]) {
        for (const memLevel of [1, 9]) {
          const deflated = deflateRawSync(bytes, { level, strategy, memLevel });
          kinds.add((deflated[0] >> 1) & 3);
          assert.deepEqual(inflateHere(deflated, bytes.length), bytes, `${bytes.length} bytes, level ${level}, strategy ${strategy}`);
          assert.deepEqual(new Uint8Array(inflate(deflated, bytes.length)), bytes);
        }
      }
    }
  }
  assert.deepEqual([...kinds].sort(), [0, 1, 2], "stored blocks, blocks with the fixed codes, blocks with codes of their own");
});

test("what is broken is an error, or has another length or content: it never hangs", () => {
  const bytes = bytesOf(5_000, 42);
  for (const level of [0, 9]) {
    const deflated = deflateRawSync(bytes, { level });
    for (let length = 0; length < deflated.length; length += level === 0 ? 499 : 13) {
      assert.throws(() => inflateHere(deflated.subarray(0, length), bytes.length), /damaged/, `cut after ${length}`);
    }
    for (let at = 0; at < deflated.length * 8; at += level === 0 ? 997 : 7) {
      const broken = Uint8Array.from(deflated);
      broken[at >> 3] ^= 1 << (at & 7);
      let found;
      try {
        found = inflateHere(broken, bytes.length);
      } catch (error) {
        assert.match(error.message, /damaged/, `bit ${at}`);
        continue;
      }
      assert.equal(found.length, bytes.length);
    }
    assert.throws(() => inflateHere(deflated, bytes.length - 1), /damaged/, "more than the size that was told");
    assert.throws(() => inflateHere(deflated, bytes.length + 1), /damaged/, "less than the size that was told");
  }
  assert.throws(() => inflateHere(Uint8Array.of(0b111, 0, 0), 10), /damaged/, "a block of the kind that there is not");
});
