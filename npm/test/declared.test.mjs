// What contract.ts declares as present is present at run time: in every event and response of our example streams, of the vectors that are
// complete streams without errors, and of the recordings of OpenAI's service.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { detectDialect, Misuse, Reader, Writer } from "deltafold/full";

const root = new URL("../..", import.meta.url).pathname;

/** The declared types by name: interfaces with their members, and everything else as text. */
function declarations() {
  const text = readFileSync(join(root, "npm/src/contract.ts"), "utf8");
  const types = new Map();
  for (const [, name, bases, body] of text.matchAll(/^export interface (\w+)(?: extends ([\w, ]+))? \{\n([^]*?)^\}/gm)) {
    const members = [...body.matchAll(/^  "?([\w-]+)"?(\?)?: (.*);$/gm)].map(([, name, optional, type]) => ({ name, optional: optional !== undefined, type }));
    types.set(name, { bases: bases?.split(", ") ?? [], members });
  }
  for (const [, name, type] of text.matchAll(/^export type (\w+) = (.*);$/gm)) types.set(name, { alias: type });
  return types;
}

const types = declarations();
const membersOf = ({ bases, members }) => [...bases.flatMap((base) => membersOf(types.get(base))), ...members];
const literal = (type) => /^"(.*)"$/.exec(type)?.[1];

/** Splits a union outside of brackets. */
function variants(type) {
  const found = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < type.length; at++) {
    if ("<({".includes(type[at])) depth++;
    else if (">)}".includes(type[at])) depth--;
    else if (depth === 0 && type.startsWith(" | ", at)) (found.push(type.slice(start, at)), (start = at + 3));
  }
  return [...found, type.slice(start)];
}

/** The declared object types that a value of this type can be; its `type` chooses one. */
function candidates(type) {
  return variants(type).flatMap((one) => {
    const known = types.get(one);
    if (known === undefined) return [];
    return known.alias === undefined ? [one] : candidates(known.alias);
  });
}

/** Walks a value by its declared type and reports each declared member that it lacks, as "Interface.member". */
function walk(value, type, missing) {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    const element = variants(type).map((one) => /^Array<(.*)>$/.exec(one)?.[1]).find(Boolean);
    if (element !== undefined) for (const one of value) walk(one, element, missing);
    return;
  }
  const named = candidates(type).filter((name) => {
    const tag = literal(membersOf(types.get(name)).find((member) => member.name === "type")?.type ?? "");
    return tag === undefined || tag === value.type;
  });
  // Where `type` does not choose, such as between a call and its output, the value is checked against none.
  if (named.length !== 1) return;
  for (const member of membersOf(types.get(named[0]))) {
    if (!member.optional && value[member.name] === undefined) missing.add(`${named[0]}.${member.name}`);
    walk(value[member.name], member.type, missing);
  }
}

const KNOWN_EVENT = /export type KnownEvent =\n([^;]*);/.exec(readFileSync(join(root, "npm/src/contract.ts"), "utf8"))[1].replace(/^  \| /gm, "").split("\n").join(" | ");

/** The cases of a folder of vectors, with their names. */
function* vectors(folder) {
  for (const file of readdirSync(join(root, "tests/vectors", folder)).filter((name) => name.endsWith(".json"))) {
    const list = JSON.parse(readFileSync(join(root, "tests/vectors", folder, file), "utf8"));
    for (const one of Array.isArray(list) ? list : list.cases) yield [`${folder}/${file}: ${one.name}`, one];
  }
}

/** What a writer makes of the intents of a vector. Some are there to be refused. */
function written(options, intents) {
  const writer = new Writer(options);
  for (const intent of intents) {
    try {
      writer.apply(intent);
    } catch (error) {
      if (!(error instanceof Misuse)) throw error;
    }
  }
  return writer.take();
}

function* streams() {
  for (const folder of ["examples/streams", "examples/streams/items"]) {
    for (const name of readdirSync(join(root, folder)).filter((name) => name.endsWith(".sse"))) yield [`${folder}/${name}`, readFileSync(join(root, folder, name))];
  }
  for (const [name, { events, input }] of [...vectors("accumulate"), ...vectors("validate")]) {
    if (typeof input === "string") yield [name, Buffer.from(input)];
    else if (events !== undefined) yield [name, Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n")];
  }
  for (const [name, { options, intents }] of vectors("write")) yield [name, written(options, intents)];
  for (const name of readdirSync(join(root, "tests/vectors/adapter/examples"))) {
    const bytes = readFileSync(join(root, "tests/vectors/adapter/examples", name));
    if (name.endsWith(".sse") && detectDialect(bytes) === "open-responses") yield [name, bytes];
  }
  const corpus = process.env.DELTAFOLD_SHARED && join(process.env.DELTAFOLD_SHARED, "corpus/responses");
  if (!corpus || !existsSync(corpus)) return void console.log("NOTE: DELTAFOLD_SHARED is not set: declared members are looked up in our own streams only");
  for (const name of readdirSync(corpus).filter((name) => name.endsWith(".sse"))) yield [name, readFileSync(join(corpus, name))];
}

test("every declared member is there at run time", () => {
  const missing = new Map();
  let read = 0;
  for (const [name, bytes] of streams()) {
    const reader = new Reader({ layers: ["schema"], profile: "open-responses", edition: "openai" });
    const events = [...reader.feed(bytes), ...reader.end()];
    const outcome = reader.finish();
    // A member that the server did not send is a finding, and then it is not there.
    if (outcome.outcome !== "completed" || reader.findingCounts.errors > 0 || reader.findings.some(({ repair }) => repair !== null)) {
      reader.free();
      continue;
    }
    read++;
    const lacks = new Set();
    for (const event of events) walk(event, KNOWN_EVENT, lacks);
    walk(reader.response, "ResponseObject", lacks);
    for (const member of lacks) missing.set(member, [...(missing.get(member) ?? []), name]);
    reader.free();
  }
  assert.ok(read >= 10, `only ${read} streams without an error`);
  assert.deepEqual([...missing].map(([member, names]) => `${member}: ${names.length} streams, such as ${names[0]}`), []);
  console.log(`${read} streams, ${types.size} declared types`);
});
