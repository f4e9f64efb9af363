// Records which streams of broken rules `openai` and `ai` cannot read.
//
//   node broken-rules.mjs FOLDER
//
// FOLDER is written by `rule-streams`; the results go to FOLDER/openai-node.json and FOLDER/ai.json: the error of each stream,
// or null.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createOpenResponses } from '@ai-sdk/open-responses';
import { streamText } from 'ai';
import OpenAI from 'openai';

const folder = process.argv[2];
const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
const described = (error) => `${error?.constructor?.name ?? typeof error}: ${error?.message ?? error}`.slice(0, 200);
const timeout = () => new Promise((_, reject) => setTimeout(() => reject(new Error('no end within 5 s')), 5000).unref());

async function openai(fetch) {
  const client = new OpenAI({ baseURL: 'http://localhost/v1', apiKey: 'none', maxRetries: 0, fetch });
  await client.responses.stream({ model: 'm', input: 'i' }).finalResponse();
}

async function ai(fetch) {
  const model = createOpenResponses({ name: 'test', url: 'http://localhost/v1/responses', fetch })('m');
  const result = streamText({ model, prompt: 'i', maxRetries: 0, onError: () => {} });
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
  await result.text;
}

for (const [name, read] of [['openai-node', openai], ['ai', ai]]) {
  const errors = {};
  for (const { file } of index) {
    const body = readFileSync(join(folder, file));
    const answer = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    errors[file] = await Promise.race([read(answer), timeout()]).then(() => null, described);
  }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(errors, null, 1));
}
