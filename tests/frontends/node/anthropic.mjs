// Anthropic Messages: the Anthropic client reads the stream and its helper folds it.
import { deepEqual, equal, rejects } from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { comparable, each, orderly, same } from "./cases.mjs";

const stopReasons = { max_output_tokens: "max_tokens", content_filter: "refusal", pause_turn: "pause_turn" };

await each("anthropic", async (one, bytes) => {
  const client = new Anthropic({
    apiKey: "none",
    maxRetries: 0,
    fetch: async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } }),
  });
  const stream = client.messages.stream({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "?" }] });
  if (["failed", "truncated"].includes(one.outcome)) {
    await rejects(stream.finalMessage());
    return;
  }
  const pieces = new Map();
  stream.on("streamEvent", (event) => {
    if (event.type !== "content_block_delta" || event.delta.type !== "input_json_delta") return;
    pieces.set(event.index, (pieces.get(event.index) ?? "") + event.delta.partial_json);
  });
  const message = await stream.finalMessage();
  const text = message.content.filter((block) => block.type === "text").map((block) => block.text).join("");
  const calls = message.content.flatMap((block, index) =>
    block.type === "tool_use" ? [[block.id, block.name, pieces.get(index) ?? "", block.input]] : [],
  );
  same(one, text, calls.map((call) => call.slice(0, 3)));
  for (const [, , input, folded] of calls) {
    let whole;
    try { whole = JSON.parse(input || "{}"); } catch { continue; }
    deepEqual(folded, whole);
  }
  if (one.outcome === "incomplete") equal(message.stop_reason, stopReasons[one.reason] ?? "end_turn");
  if (one.outcome === "completed") equal(["end_turn", "tool_use", "refusal", "stop_sequence"].includes(message.stop_reason), true);
  const thoughts = message.content.filter((block) => block.type === "thinking").map((block) => block.thinking).join("");
  const whole = !one.findings.includes("reasoning_kind_dropped");
  if (comparable(one) && orderly(one) && whole) equal(thoughts, one.reasoning);
});
