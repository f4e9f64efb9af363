// What is compared: each contender takes chunks and resolves to what it has folded. All of them look at the type of every event,
// find the part and add the delta.
import { createOpenAI } from "@ai-sdk/openai";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";

// What `import "deltafold"` is in Node.js.
import { Reader, readEvents } from "../../npm/dist/index.js";

/** Counts events and joins deltas by place. */
export class Folded {
  events = 0;
  parts = new Map();
  #place = -1;
  #part = null;

  take(event) {
    this.events++;
    switch (event.type) {
      case "response.output_text.delta":
        return this.#add(event.output_index, event.content_index, event);
      case "response.function_call_arguments.delta":
        return this.#add(event.output_index, 0, event);
      case "response.reasoning_summary_text.delta":
        return this.#add(event.output_index, event.summary_index, event);
    }
  }

  #add(output, part, { delta }) {
    const place = output * 65536 + part;
    if (place !== this.#place) {
      this.#place = place;
      this.#part = this.parts.get(place);
      if (this.#part === undefined) this.parts.set(place, (this.#part = { text: "" }));
    }
    this.#part.text += delta;
  }
}

/** The chunks as a body of `fetch` gives them. */
function body(chunks) {
  let at = 0;
  const pull = (controller) => (at < chunks.length ? controller.enqueue(chunks[at++]) : controller.close());
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

const answering = (chunks) => async () => new Response(body(chunks), { headers: { "content-type": "text/event-stream" } });

function fed(chunks) {
  const folded = new Folded();
  const reader = new Reader();
  for (const chunk of chunks) for (const event of reader.feed(chunk)) folded.take(event);
  reader.free();
  return folded;
}

async function iterated(chunks) {
  const folded = new Folded();
  const events = readEvents(body(chunks));
  for await (const event of events) folded.take(event);
  events.reader.free();
  return folded;
}

function parserAndJson(chunks) {
  const folded = new Folded();
  const parser = createParser({ onEvent: ({ data }) => folded.take(JSON.parse(data)) });
  const decoder = new TextDecoder();
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return folded;
}

async function openai(chunks) {
  const folded = new Folded();
  const client = new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1/v1", maxRetries: 0, fetch: answering(chunks) });
  const stream = client.responses.stream({ model: "m", input: "x" });
  for await (const event of stream) folded.take(event);
  await stream.finalResponse();
  return folded;
}

async function aiSdk(chunks) {
  const folded = new Folded();
  const model = createOpenAI({ apiKey: "none", baseURL: "http://127.0.0.1/v1", fetch: answering(chunks) }).responses("m");
  const prompt = [{ role: "user", content: [{ type: "text", text: "x" }] }];
  const { stream } = await model.doStream({ prompt, includeRawChunks: true });
  // Its own parts have other names, so that the raw ones are what can be proved.
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "raw") folded.take(part.rawValue);
  }
  return folded;
}

export const CONTENDERS = {
  deltafold: fed,
  "deltafold, async iterator": iterated,
  "eventsource-parser + JSON.parse": parserAndJson,
  openai,
  "Vercel AI SDK": aiSdk,
};
