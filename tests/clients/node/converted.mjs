// `openai` for Node.js reads converted streams.
//
//   node converted.mjs FOLDER
//
// FOLDER is written by test_convert.py of tests/clients/python: the default output of `deltafold convert --to
// open-responses`.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import OpenAI from 'openai';

const folder = process.argv[2];
const names = readdirSync(folder);
let failed = names.length < 9;

for (const name of names) {
  const body = readFileSync(join(folder, name));
  const answer = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const client = new OpenAI({ baseURL: 'http://localhost/v1', apiKey: 'none', maxRetries: 0, fetch: answer });
  try {
    await client.responses.stream({ model: 'm', input: 'i' }).finalResponse();
  } catch (error) {
    // The package throws the error of a failed stream.
    if (error instanceof OpenAI.APIError && body.includes('event: response.failed')) continue;
    failed = true;
    console.log(`error: ${name}: ${error.constructor.name}: ${error.message}`);
  }
}
console.log(`openai-node: ${names.length} converted streams`);
process.exit(failed ? 1 : 0);
