// Compares the results of `deltafold` with those of `eventsource-parser` and of the accumulator of `openai`.
//
//   node differential.mjs VECTORS FOLDER
//
// VECTORS is tests/vectors/sse/sse-cases.json, whose events the decoder reproduces exactly; differential.py of
// tests/clients/python has written FOLDER: random streams, and the results of the command for them and for the recordings. Known differences
// are in differences.json, each with its reason; new differences and entries that no longer differ fail.

import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';

const [vectors, folder] = process.argv.slice(2);
const shared = resolve(process.env.DELTAFOLD_SHARED);
const lists = JSON.parse(readFileSync(new URL('../differences.json', import.meta.url), 'utf8'));
const lines = (file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
let failed = false;

function report(client, count, least, differ) {
  const known = lists[client];
  console.log(`${client}: ${count} streams, ${differ.size} differ, ${Object.keys(known).length} are known`);
  for (const [name, what] of differ) if (!(name in known)) fail(`${client}: ${name}: ${what}`);
  for (const name of Object.keys(known)) if (!differ.has(name)) fail(`${client}: no longer differs, or is not read: ${name}`);
  if (count < least) fail(`${client}: only ${count} streams`);
}

function fail(message) {
  failed = true;
  console.log(`error: ${message}`);
}

// Frames and comments from eventsource-parser; the text comes from a streaming decoder, in pieces.
function parse(bytes, size) {
  const events = [];
  const comments = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => events.push({ event: event ?? 'message', data, id }),
    onComment: (text) => comments.push(text),
  });
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; at += size) parser.feed(decoder.decode(bytes.subarray(at, at + size), { stream: true }));
  parser.feed(decoder.decode());
  return { events, comments };
}

// The parser returns only the block's own id, and a comment without the space after its colon.
function sameFrames(mine, theirs) {
  if (mine.events.length !== theirs.events.length) return `${theirs.events.length} frames, not ${mine.events.length}`;
  for (const [at, event] of theirs.events.entries()) {
    const own = mine.events[at];
    if (own.event !== event.event || own.data !== event.data) return `frame ${at} is another`;
    if (event.id !== undefined && own.id !== event.id) return `the id of frame ${at} is another`;
  }
  const bare = (text) => (text.startsWith(' ') ? text.slice(1) : text);
  const [own, other] = [mine.comments, theirs.comments].map((comments) => JSON.stringify(comments.map(bare)));
  return own === other ? null : 'other comments';
}

const streams = new Map();
for (const { name, input_b64, expect, comments } of JSON.parse(readFileSync(vectors, 'utf8')).cases) {
  streams.set(name, { bytes: Buffer.from(input_b64, 'base64'), events: expect, comments });
}
const random = new Map();
for (const name of readdirSync(folder).filter((name) => /^\d+\.sse$/.test(name))) {
  random.set(name, { bytes: readFileSync(join(folder, name)), events: [], comments: [] });
}
for (const { file, comment, ...event } of lines('frames.jsonl')) {
  const stream = random.get(file.split('/').at(-1));
  if (comment === undefined) stream.events.push(event);
  else stream.comments.push(comment);
}
const differ = new Map();
for (const [name, stream] of [...streams, ...random]) {
  for (const size of [1 << 20, 7, 1]) {
    const what = sameFrames(stream, parse(stream.bytes, size));
    if (what) differ.set(name, `${what}, in chunks of ${size}`);
  }
}
report('eventsource-parser', streams.size + random.size, 500, differ);

// The final response of the package, and the last snapshot of each text and each call.
async function fold(file) {
  const body = readFileSync(join(shared, 'corpus', file));
  const answer = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const client = new OpenAI({ baseURL: 'http://localhost/v1', apiKey: 'none', maxRetries: 0, fetch: answer });
  const snapshots = new Map();
  const stream = client.responses.stream({ model: 'm', input: 'i' });
  stream.on('response.output_text.delta', (event) => snapshots.set(`text ${event.output_index} ${event.content_index}`, event.snapshot));
  stream.on('response.function_call_arguments.delta', (event) => snapshots.set(`arguments ${event.output_index} 0`, event.snapshot));
  return { response: await stream.finalResponse(), snapshots };
}

function view({ output, usage }) {
  const parts = output.filter((item) => item.type === 'message').flatMap((item) => item.content ?? []);
  const calls = output.filter((item) => item.type === 'function_call');
  return {
    text: parts.filter((part) => part.type === 'output_text').map((part) => part.text).join(''),
    calls: JSON.stringify(calls.map(({ name, call_id, arguments: text }) => [name, call_id, text])),
    usage: [usage?.input_tokens, usage?.output_tokens, usage?.total_tokens].join(' '),
  };
}

const byFile = (file) => new Map(lines(file).map((line) => [line.file, line.response]));
const whole = byFile('whole.jsonl');
const events = byFile('events.jsonl');
const others = new Map();
for (const [file, mine] of whole) {
  try {
    const { response, snapshots } = await fold(file);
    const [own, theirs] = [view(mine), view(response)];
    const what = Object.keys(own).filter((key) => own[key] !== theirs[key]).map((key) => `another ${key}`);
    for (const [key, text] of snapshots) {
      const [kind, at, part] = key.split(' ');
      const item = events.get(file).output[at];
      if ((kind === 'text' ? item?.content?.[part]?.text : item?.arguments) !== text) what.push(`another snapshot of ${key}`);
    }
    if (what.length) others.set(file, what.join('; '));
  } catch (error) {
    others.set(file, `throws ${error.constructor.name}: ${String(error.message).slice(0, 100)}`);
  }
}
report('openai-node', whole.size, 100, others);
process.exit(failed ? 1 : 0);
