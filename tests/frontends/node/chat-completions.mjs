// Chat Completions: the OpenAI client reads the stream and its helper folds it.
import { deepEqual, equal, rejects } from "node:assert/strict";
import OpenAI from "openai";
import { comparable, each, orderly, same } from "./cases.mjs";

const finishReasons = { max_output_tokens: "length", content_filter: "content_filter" };

await each("chat-completions", async (one, bytes) => {
  const client = new OpenAI({
    apiKey: "none",
    maxRetries: 0,
    fetch: async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } }),
  });
  const stream = client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "?" }] });
  let reasoning = "";
  stream.on("chunk", (chunk) => (reasoning += chunk.choices[0]?.delta?.reasoning_content ?? ""));
  if (["failed", "truncated"].includes(one.outcome)) {
    await rejects(stream.finalChatCompletion());
    return;
  }
  const final = await stream.finalChatCompletion();
  const { message, finish_reason: finish } = final.choices[0];
  const calls = (message.tool_calls ?? []).map((call) => [call.id, call.function.name, call.function.arguments]);
  // Refusals are a separate field here; the folded text has them in their place.
  if (!message.refusal) same(one, message.content ?? "", calls);
  else if (comparable(one)) deepEqual([...(message.content ?? "") + message.refusal].sort(), [...one.text].sort());
  if (one.outcome === "incomplete") equal(finish, finishReasons[one.reason] ?? "stop");
  if (one.outcome === "completed") equal(["stop", "tool_calls"].includes(finish), true);
  const ours = one.options.reasoning_field === undefined && !one.findings.includes("reasoning_kind_dropped");
  if (comparable(one) && orderly(one) && ours) equal(reasoning, one.reasoning);
});
