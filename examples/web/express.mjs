// Two routes with Express:  UPSTREAM=https://… node express.mjs PORT
//
// `/chat` asks a model and sends its stream as `useChat` of the AI SDK reads it; `/v1/responses` answers with a stream of its own.

import { pipeline, Readable } from "node:stream";
import { UiMessageStream, Writer } from "deltafold/full";
import express from "express";

const app = express();

app.post("/chat", express.text({ type: () => true }), (request, answer) => {
  // The model stops when the client goes away.
  const gone = new AbortController();
  answer.on("close", () => gone.abort());
  const upstream = fetch(process.env.UPSTREAM, { method: "POST", body: request.body, signal: gone.signal });
  send(new UiMessageStream({ from: "anthropic" }).toResponse(upstream), answer);
});

app.post("/v1/responses", (request, answer) => {
  const response = new Writer({ id: "resp_1", model: "m-1" }).toResponse((writer) => {
    writer.message();
    writer.text("Hello");
    writer.complete();
  });
  send(response, answer);
});

/** Sends a `Response`. A client that goes away cancels its body. */
function send({ status, headers, body }, answer) {
  answer.status(status).setHeaders(headers).flushHeaders();
  pipeline(Readable.fromWeb(body), answer, () => {});
}

const server = app.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
