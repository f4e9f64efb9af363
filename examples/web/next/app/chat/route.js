// A route handler of Next for `useChat` of the AI SDK: asks a model and converts its stream.

import { UiMessageStream } from "deltafold/full";

export async function POST(request) {
  // Aborted when the client goes away, so that the model stops, too.
  const { signal } = request;
  const upstream = fetch(process.env.UPSTREAM, { method: "POST", body: await request.text(), signal });
  return new UiMessageStream({ from: "anthropic" }).toResponse(upstream, { signal });
}
