// The `openai` package against the reference server.
//
// DELTAFOLD_SERVER and DELTAFOLD_SERVER_OPENAI are the base URLs of a server in each dialect.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const PLAIN = process.env.DELTAFOLD_SERVER;
const OPENAI = process.env.DELTAFOLD_SERVER_OPENAI;
const model = 'scripted';

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Tells the weather of a place.',
  strict: true,
  parameters: {
    type: 'object',
    properties: { location: { type: 'string' } },
    required: ['location'],
    additionalProperties: false,
  },
};

const client = (baseURL = PLAIN) => new OpenAI({ baseURL, apiKey: 'unused', maxRetries: 0 });

const collect = async (iterable) => {
  const all = [];
  for await (const one of iterable) all.push(one);
  return all;
};

test('a plain answer has its text and usage', async () => {
  const response = await client().responses.create({ model, input: 'Hello' });
  assert.equal(response.output_text, 'You said: Hello');
  assert.equal(response.status, 'completed');
  assert.equal(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens);
});

test('raw iteration gives every event in order', async () => {
  for (const base of [PLAIN, OPENAI]) {
    const events = await collect(await client(base).responses.create({ model, input: 'Hello', stream: true }));
    assert.deepEqual(
      events.map((event) => event.type),
      [
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.delta',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ],
    );
    assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
    assert.equal(events.at(-1).response.output[0].content[0].text, 'You said: Hello');
  }
});

test('the stream helper accumulates and gives the final response', async () => {
  for (const base of [PLAIN, OPENAI]) {
    const stream = client(base).responses.stream({ model, input: 'Hello' });
    const texts = [];
    stream.on('response.output_text.delta', (event) => texts.push(event.snapshot));
    const final = await stream.finalResponse();
    assert.deepEqual(texts, ['You ', 'You said: ', 'You said: Hello']);
    assert.equal(final.output_text, 'You said: Hello');
  }
});

test('requests run beside each other', async () => {
  const one = client();
  const numbers = [...Array(8).keys()];
  const answers = await Promise.all(numbers.map((at) => one.responses.create({ model, input: `number ${at}` })));
  assert.deepEqual(answers.map((answer) => answer.output_text), numbers.map((at) => `You said: number ${at}`));
});

test('a conversation continues by its id', async () => {
  const one = client();
  const first = await one.responses.create({ model, input: 'My name is Ada.' });
  const second = await one.responses.create({ model, input: 'What is my name?', previous_response_id: first.id });
  assert.equal(second.output_text, 'Your name is Ada.');
});

test('a tool call makes the round trip', async () => {
  const one = client();
  const input = [{ type: 'message', role: 'user', content: 'What is the weather in Paris?' }];
  const first = await one.responses.create({ model, input, tools: [weather] });
  const [call] = first.output;
  assert.deepEqual([call.type, call.name, JSON.parse(call.arguments)], ['function_call', 'get_weather', { location: 'Paris' }]);
  const output = { type: 'function_call_output', call_id: call.call_id, output: '18 degrees' };
  const byId = await one.responses.create({ model, input: [output], tools: [weather], previous_response_id: first.id });
  assert.equal(byId.output_text, 'The tool says: 18 degrees');
  const whole = await one.responses.create({ model, input: [...input, ...first.output, output], tools: [weather] });
  assert.equal(whole.output_text, 'The tool says: 18 degrees');
});

test('arguments stream and parallel calls stay apart', async () => {
  for (const base of [PLAIN, OPENAI]) {
    const tools = [weather, { ...weather, name: 'get_time' }];
    const stream = client(base).responses.stream({ model, input: 'weather and time in Rome', tools });
    const grown = {};
    stream.on('response.function_call_arguments.delta', (event) => (grown[event.output_index] = event.snapshot));
    const final = await stream.finalResponse();
    assert.deepEqual(
      final.output.map((item) => [item.name, item.arguments]),
      [['get_weather', '{"location":"Rome"}'], ['get_time', '{"location":"Rome"}']],
    );
    assert.deepEqual(Object.values(grown), final.output.map((item) => item.arguments));
  }
});

test('structured output parses', async () => {
  const format = zodTextFormat(z.object({ name: z.string(), size: z.number().int() }), 'city');
  const request = { model, input: 'A city in France', text: { format } };
  const parsed = await client().responses.parse(request);
  assert.deepEqual(parsed.output_parsed, { name: 'France', size: 1 });
  const streamed = await client().responses.stream(request).finalResponse();
  assert.deepEqual(streamed.output_parsed, { name: 'France', size: 1 });
});

test('a refusal is a part of its own', async () => {
  const final = await client().responses.stream({ model, input: 'please refuse' }).finalResponse();
  const [part] = final.output[0].content;
  assert.deepEqual([part.type, part.refusal], ['refusal', 'I am not able to help with that.']);
});

test('a truncated answer is incomplete', async () => {
  const request = { model, input: 'count to 40', max_output_tokens: 16 };
  const final = await client().responses.stream(request).finalResponse();
  assert.equal(final.status, 'incomplete');
  assert.equal(final.incomplete_details.reason, 'max_output_tokens');
  assert.equal(final.output[0].status, 'incomplete');
  assert.equal(final.output_text.trim().split(' ').length, 16);
});

test('reasoning comes before the answer, and the helper reads it in its own dialect', async () => {
  const request = { model, input: 'think', reasoning: { effort: 'low', summary: 'auto' } };
  const final = await client(OPENAI).responses.stream(request).finalResponse();
  const [reasoning, message] = final.output;
  assert.equal(reasoning.content[0].text, 'The user wrote 1 words.');
  assert.equal(reasoning.summary[0].text, 'Reading the request.');
  assert.equal(message.content[0].text, 'You said: think');

  const events = await collect(await client(PLAIN).responses.create({ ...request, stream: true }));
  assert.ok(events.some((event) => event.type === 'response.reasoning.delta'));
  assert.equal(events.at(-1).response.output[0].content[0].text, 'The user wrote 1 words.');
});

test('annotations and log probabilities are read', async () => {
  const request = { model, input: 'cite it', include: ['message.output_text.logprobs'], top_logprobs: 1 };
  const final = await client().responses.stream(request).finalResponse();
  const [part] = final.output[0].content;
  assert.equal(part.annotations[0].url, 'https://example.org/source');
  assert.equal(part.logprobs.map((one) => one.token).join(''), part.text);
});

test('a running response can be cancelled', async () => {
  const one = client();
  const events = [];
  for await (const event of await one.responses.create({ model, input: 'wait until cancelled', stream: true })) {
    events.push(event);
    if (event.type === 'response.output_text.delta' && event.delta === 'waiting.') {
      const answer = await one.responses.cancel(events[0].response.id);
      assert.equal(answer.incomplete_details.reason, 'cancelled');
    }
  }
  assert.equal(events.at(-1).type, 'response.incomplete');
});

test('refused requests raise the exception of their status', async () => {
  const cases = [
    [OpenAI.NotFoundError, { model: 'gpt-9', input: 'a' }, 'model_not_found'],
    [OpenAI.BadRequestError, { model, input: 'a', max_output_tokens: 1 }, 'invalid_value'],
    [OpenAI.NotFoundError, { model, input: 'a', previous_response_id: 'resp_x' }, 'previous_response_not_found'],
    [OpenAI.RateLimitError, { model, input: 'fail with too_many_requests' }, 'scripted_failure'],
    [OpenAI.InternalServerError, { model, input: 'fail with server_error' }, 'scripted_failure'],
  ];
  for (const [kind, request, code] of cases) {
    await assert.rejects(client().responses.create(request), (error) => {
      assert.ok(error instanceof kind, `${error}`);
      assert.equal(error.code, code);
      return true;
    });
  }
});

test('a failure in the middle of a stream raises', async () => {
  let text = '';
  const stream = await client().responses.create({ model, input: 'fail with server_error', stream: true });
  await assert.rejects(async () => {
    for await (const event of stream) text += event.type === 'response.output_text.delta' ? event.delta : '';
  }, /The script fails here on request/);
  assert.equal(text, 'One moment');
});
