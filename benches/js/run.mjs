// Times the npm package beside its peers:  node run.mjs SHAPES [--quick]
//
// SHAPES is a folder that deltafold-shapes wrote. Every result is checked before it is timed; all contenders of a row run in turn. Measures
// the CPU time of all threads of the process; a row shows medians in µs per event, and the ratio to the first contender.
// Two contenders take minutes for a run of W3 in 7-byte chunks, and are left out of that row.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { CONTENDERS } from "./contenders.mjs";

const [folder, ...flags] = process.argv.slice(2);
const quick = flags.includes("--quick");
const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));

function cut(bytes, how) {
  const chunks = [];
  if (how === "event") {
    for (let from = 0, end; (end = bytes.indexOf("\n\n", from)) >= 0; from = end + 2) chunks.push(bytes.subarray(from, end + 2));
    return chunks;
  }
  const size = how === "16k" ? 16384 : 7;
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

function prove(label, folded, { events, text_bytes, text_hash }) {
  const places = [...folded.parts.keys()].sort((a, b) => a - b);
  const text = Buffer.concat(places.map((place) => Buffer.from(folded.parts.get(place).text)));
  let hash = 0xcbf29ce484222325n;
  for (const byte of text) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  const found = [folded.events, text.length, hash.toString(16).padStart(16, "0")];
  if (String(found) !== String([events, text_bytes, text_hash])) throw new Error(`${label}: ${found}, expected ${events} ${text_bytes} ${text_hash}`);
}

async function timed(contender, chunks, times) {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) await contender(chunks);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / times;
}

const TOO_SLOW = new Set(["W3 7b openai", "W3 7b Vercel AI SDK"]);

const names = Object.keys(CONTENDERS);
console.log(`| shape | cut | ${names.join(" | ")} |\n| --- | --- |${" --- |".repeat(names.length)}`);
for (const shape of quick ? ["W1", "W2"] : ["W1", "W2", "W3", "W5"]) {
  const bytes = readFileSync(join(folder, `${shape}.sse`));
  for (const how of ["event", "16k", "7b"]) {
    const chunks = cut(bytes, how);
    const state = [];
    for (const name of names.filter((name) => !TOO_SLOW.has(`${shape} ${how} ${name}`))) {
      prove(`${shape} ${how} ${name}`, await CONTENDERS[name](chunks), expected[shape]);
      // JIT compilers run during the first runs of a shape, and their CPU time would be counted as that of reading.
      for (const end = performance.now() + 300; performance.now() < end; ) await CONTENDERS[name](chunks);
      // Warm, and long enough for the clock: a sample is 20 ms or one run.
      const once = await timed(CONTENDERS[name], chunks, 3);
      state.push({ name, times: Math.max(1, Math.round(20_000 / once)), samples: [] });
    }
    for (let round = 0; round < (quick ? 3 : 5); round++) {
      for (const { name, times, samples } of state) samples.push(await timed(CONTENDERS[name], chunks, times));
    }
    const medians = new Map(state.map(({ name, samples }) => [name, samples.sort((a, b) => a - b)[samples.length >> 1]]));
    const first = medians.get(names[0]);
    const cell = (time) => `${(time / expected[shape].events).toFixed(3)} (${(time / first).toFixed(1)}x)`;
    const cells = names.map((name) => (medians.has(name) ? cell(medians.get(name)) : "left out"));
    console.log(`| ${shape} | ${how} | ${cells.join(" | ")} |`);
  }
}
