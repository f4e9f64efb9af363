// Two routes with Hono:  UPSTREAM=https://… node hono.mjs PORT
//
// `/chat` asks a model and sends its stream as `useChat` of the AI SDK reads it; `/v1/responses` answers with a stream of its own.

import { serve } from "@hono/node-server";
import { UiMessageStream, Writer } from "deltafold/full";
import { Hono } from "hono";

const app = new Hono();

app.post("/chat", async (context) => {
  // Aborted when the client goes away, so that the model stops, too.
  const { signal } = context.req.raw;
  const upstream = fetch(process.env.UPSTREAM, { method: "POST", body: await context.req.text(), signal });
  return new UiMessageStream({ from: "anthropic" }).toResponse(upstream, { signal });
});

app.post("/v1/responses", () =>
  new Writer({ id: "resp_1", model: "m-1" }).toResponse((writer) => {
    writer.message();
    writer.text("Hello");
    writer.complete();
  }),
);

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.argv[2]) }, ({ port }) => console.log(`listening on http://127.0.0.1:${port}`));
