// The transport of deltafold/ai, run by the AI SDK itself: here the newest version, and in packaging/oldest.mjs the oldest one that is
// supported. test/browser/react.test.mjs runs it under useChat in a page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readUIMessageStream } from "ai";

import { ResponseChatTransport } from "deltafold/ai";
import { Writer } from "deltafold/full";

const utf8 = new TextEncoder();
const question = { id: "msg_user", role: "user", parts: [{ type: "text", text: "How warm is it?" }] };
const asked = { trigger: "submit-message", chatId: "chat_1", messageId: undefined, messages: [question], abortSignal: undefined };

/** A stream of Open Responses with reasoning, a text and a tool call. */
function stream() {
  const writer = new Writer({ id: "resp_1", model: "m-1", created_at: 5 });
  writer.reasoning();
  writer.reasoningText("Look it up.");
  writer.message();
  writer.text("Un instant, l\u2019été \u{1F600}");
  writer.arguments('{"city":"Paris"}', writer.functionCall("weather", "call_1"));
  writer.complete({ input_tokens: 3, output_tokens: 2 });
  return writer.take();
}
const CHAT = ["Hel", "lo"].map((content) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { role: "assistant", content } }] })}\n\n`);

/** The body of an answer in pieces of some bytes; `fails` breaks it off at its end. */
function body(bytes, { step = bytes.length, fails } = {}) {
  let at = 0;
  return new ReadableStream({
    pull(out) {
      if (at < bytes.length) return out.enqueue(bytes.subarray(at, (at += step)));
      return fails ? out.error(fails) : out.close();
    },
  });
}

/** A transport whose `fetch` gives this body, and the requests that it got. */
function transport(answer, options = {}) {
  const requests = [];
  const fetch = async (url, init) => (requests.push({ url, ...init }), answer instanceof Response ? answer : new Response(answer));
  return { requests, transport: new ResponseChatTransport({ api: "https://example.com/responses", fetch, ...options }) };
}

async function lastMessage(chunks) {
  let last;
  for await (const message of readUIMessageStream({ stream: chunks })) last = message;
  return last;
}
async function all(chunks) {
  const found = [];
  for await (const chunk of chunks) found.push(chunk);
  return found;
}

test("a stream of Open Responses becomes a message of the AI SDK, at any split", async () => {
  for (const step of [1, 50, 100_000]) {
    const { requests, transport: one } = transport(body(stream(), { step }));
    const { role, parts } = await lastMessage(await one.sendMessages(asked));
    assert.equal(role, "assistant");
    const named = parts.filter(({ type }) => type !== "step-start");
    assert.deepEqual(named.map(({ type, text, toolCallId, input }) => text ?? [type, toolCallId, input]), ["Look it up.", "Un instant, l\u2019été \u{1F600}", ["tool-weather", "call_1", { city: "Paris" }]]);
    const sent = JSON.parse(requests[0].body);
    assert.deepEqual([requests.length, requests[0].url, requests[0].method, sent.id, sent.messages, sent.trigger], [1, "https://example.com/responses", "POST", "chat_1", [question], "submit-message"]);
  }
});

test("another dialect is detected, or named by `from`", async () => {
  const end = 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  for (const options of [{}, { from: "chat-completions", options: { include_metadata: true } }]) {
    const { transport: one } = transport(body(utf8.encode([...CHAT, end].join("")), { step: 40 }), options);
    const { parts, metadata } = await lastMessage(await one.sendMessages(asked));
    assert.equal(parts.filter(({ type }) => type === "text").map(({ text }) => text).join(""), "Hello");
    assert.equal(metadata !== undefined, options.options !== undefined);
  }
});

test("an answer that ends too early is an error of the stream, one that breaks is thrown, and a refusal is thrown", async () => {
  const early = await all(await transport(body(utf8.encode(CHAT[0]))).transport.sendMessages(asked));
  assert.deepEqual([early.some(({ delta }) => delta === "Hel"), early.at(-1).type], [true, "error"]);
  const broken = await transport(body(utf8.encode(CHAT[0]), { fails: new Error("gone") })).transport.sendMessages(asked);
  await assert.rejects(all(broken), /gone/);
  await assert.rejects(transport(new Response("slow down", { status: 429 })).transport.sendMessages(asked), /slow down/);
});

test("reconnecting reads the stream of the server, or tells that there is none", async () => {
  const { requests, transport: one } = transport(body(stream()));
  const { parts } = await lastMessage(await one.reconnectToStream({ chatId: "chat_1" }));
  assert.ok(parts.some(({ text }) => text === "Look it up."));
  assert.equal(requests[0].url, "https://example.com/responses/chat_1/stream");
  assert.equal(await transport(new Response(null, { status: 204 })).transport.reconnectToStream({ chatId: "chat_1" }), null);
});

test("a chat that stops reading cancels the answer", async () => {
  let cancelled = 0;
  const endless = new ReadableStream({ start: (out) => out.enqueue(utf8.encode(CHAT[0])), cancel: () => void cancelled++ });
  const reader = (await transport(endless).transport.sendMessages(asked)).getReader();
  assert.equal((await reader.read()).done, false);
  await reader.cancel();
  // Streams in a pipe pass a cancellation on a little later.
  for (let left = 100; cancelled === 0 && left > 0; left--) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(cancelled, 1);
});
