// UI message streams: every chunk passes the SDK's own parser and schema, and `readUIMessageStream` builds the message.
import { deepEqual, equal, ok } from "node:assert/strict";
import { parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } from "ai";
import { comparable, each, same } from "./cases.mjs";

const finishReasons = { max_output_tokens: "length", content_filter: "content-filter" };

await each("ui-message-stream", async (one, bytes) => {
  ok(bytes.toString("utf8").endsWith("data: [DONE]\n\n"));
  const chunks = [];
  const errors = [];
  const parsed = parseJsonEventStream({ stream: new Blob([bytes]).stream(), schema: uiMessageChunkSchema });
  const stream = parsed.pipeThrough(
    new TransformStream({
      transform(result, controller) {
        if (!result.success) throw result.error;
        deepEqual(result.value, result.rawValue);
        chunks.push(result.value);
        controller.enqueue(result.value);
      },
    }),
  );
  let message;
  const states = readUIMessageStream({ stream, onError: (error) => errors.push(error), terminateOnError: false });
  for await (const state of states) message = state;

  const end = chunks.at(-1);
  if (end.type === "error") {
    deepEqual(errors.map((error) => error.message), [end.errorText]);
  } else {
    deepEqual(errors, []);
    if (end.type === "finish" && one.outcome === "incomplete") {
      equal(end.finishReason, finishReasons[one.reason] ?? "other");
    }
    const aborted = one.outcome === "cancelled";
    equal(end.type, aborted ? "abort" : "finish");
  }
  const parts = message?.parts ?? [];
  const text = parts.filter((part) => part.type === "text").map((part) => part.text).join("");
  const calls = chunks.filter((chunk) => chunk.type === "tool-input-start").map((start) => {
    const pieces = chunks.filter((chunk) => chunk.type === "tool-input-delta" && chunk.toolCallId === start.toolCallId);
    // The text of a custom tool comes when it is complete.
    const whole = chunks.find((chunk) => chunk.type === "tool-input-available" && chunk.toolCallId === start.toolCallId)?.input;
    const input = typeof whole === "string" ? whole : pieces.map((chunk) => chunk.inputTextDelta).join("");
    return [start.toolCallId, start.toolName, input];
  });
  same(one, text, calls);
  for (const [id, name, input] of calls) {
    const part = parts.find((part) => part.toolCallId === id);
    ok(part?.type === `tool-${name}` || (part?.type === "dynamic-tool" && part.toolName === name), `no tool part for ${id}`);
    if (!["input-available", "output-available"].includes(part.state)) continue;
    deepEqual(part.input, typeof part.input === "string" ? input : JSON.parse(input || "{}"));
  }
  if (comparable(one)) {
    const thoughts = parts.filter((part) => part.type === "reasoning").map((part) => part.text);
    equal([...thoughts.join("")].sort().join(""), [...one.reasoning].sort().join(""));
  }
  for (const part of parts) if (part.type === "text" || part.type === "reasoning") equal(part.state, "done");
});
