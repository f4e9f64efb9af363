// The AI SDK with its Open Responses provider against the reference server.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createOpenResponses } from '@ai-sdk/open-responses';
import { generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const provider = createOpenResponses({ name: 'scripted', url: `${process.env.DELTAFOLD_SERVER}/responses` });
const model = provider('scripted');

const tools = {
  get_weather: tool({
    description: 'Tells the weather of a place.',
    inputSchema: z.object({ location: z.string() }),
    execute: async ({ location }) => `18 degrees in ${location}`,
  }),
};

test('text streams', async () => {
  const result = streamText({ model, prompt: 'Hello' });
  const pieces = [];
  for await (const piece of result.textStream) pieces.push(piece);
  assert.deepEqual(pieces, ['You ', 'said: ', 'Hello']);
  assert.equal(await result.finishReason, 'stop');
  assert.equal((await result.usage).outputTokens, 3);
});

test('a tool is called and run, and its result is in the answer', async () => {
  const result = streamText({
    model,
    prompt: 'What is the weather in Paris?',
    tools,
    stopWhen: stepCountIs(3),
  });
  const seen = [];
  for await (const part of result.fullStream) {
    if (part.type === 'tool-call') seen.push([part.toolName, part.input]);
    if (part.type === 'tool-result') seen.push(part.output);
    if (part.type === 'error') throw part.error;
  }
  assert.deepEqual(seen, [['get_weather', { location: 'Paris' }], '18 degrees in Paris']);
  assert.match(await result.text, /The tool says: .*18 degrees in Paris/);
  assert.equal((await result.steps).length, 2);
});

test('system prompt and history arrive', async () => {
  const { text } = await generateText({
    model,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
      { role: 'user', content: 'What is my name?' },
    ],
  });
  assert.equal(text, 'Your name is Ada.');
});

test('structured output parses', async () => {
  const schema = z.object({ name: z.string(), size: z.number() });
  const { object } = await generateObject({ model, prompt: 'A city in France', schema });
  assert.deepEqual(object, { name: 'France', size: 1 });
});

test('a truncated answer has the reason length', async () => {
  const result = await generateText({ model, prompt: 'count to 40', maxOutputTokens: 16 });
  assert.equal(result.finishReason, 'length');
  assert.equal(result.text.trim().split(' ').length, 16);
});

test('a refused request raises', async () => {
  await assert.rejects(generateText({ model: provider('gpt-9'), prompt: 'Hi', maxRetries: 0 }), /gpt-9/);
});
