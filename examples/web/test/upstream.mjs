// A model with the stream of Anthropic's Messages API. Each stream stops after its first text until a test says how it goes on.

import { createServer } from "node:http";

const frame = (payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
const delta = (text) => frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const START = [
  frame({ type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", model: "m-1", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 3, output_tokens: 1 } } }),
  frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  delta("Hel"),
];
const END = [
  delta("lo"),
  frame({ type: "content_block_stop", index: 0 }),
  frame({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } }),
  frame({ type: "message_stop" }),
];
const REFUSAL = { type: "error", error: { type: "overloaded_error", message: "secret" } };

/** Starts the model on a free port: its URL, `next()` for the next request that it gets, and `stop()`. */
export async function startUpstream() {
  const waiting = [];
  const server = createServer(async (request, answer) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (body === "refuse") return answer.writeHead(529, { "content-type": "application/json" }).end(JSON.stringify(REFUSAL));
    answer.writeHead(200, { "content-type": "text/event-stream" });
    for (const text of START) answer.write(text);
    waiting.shift()({
      finish: () => answer.end(END.join("")),
      breakOff: () => answer.destroy(),
      /** Settles when the connection is closed, by whichever side. */
      closed: new Promise((resolve) => answer.on("close", resolve)),
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    stop: () => server.closeAllConnections() ?? server.close(),
  };
}
