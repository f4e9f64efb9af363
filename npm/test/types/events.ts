// Compiled, never run: the union narrows, and its events go where those of the `openai` package go.

import type OpenAI from "openai";
import { type ExtensionEvent, type KnownEvent, readEvents, type StreamEvent } from "deltafold";

type Theirs = OpenAI.Responses.ResponseStreamEvent;
type Shared = Extract<KnownEvent, { type: Theirs["type"] }>;

/** Every event that both know can be handed to code for theirs. */
export const handedOver = (event: Shared): Theirs => event;

/** They know no event that we do not: if they do, this is the list of its names instead of `never`. */
export const unknownToUs: Exclude<Theirs["type"], KnownEvent["type"]> extends never ? true : Exclude<Theirs["type"], KnownEvent["type"]> = true;

export function narrows(event: StreamEvent): string {
  switch (event.type) {
    case "response.output_text.delta":
      return `${event.content_index}${event.delta}`;
    case "response.completed":
      return event.response.id;
    case "response.output_item.done":
      return event.item.type === "function_call" ? event.item.arguments : event.item.type;
    case "acme:thinking":
      return String((event satisfies ExtensionEvent)["anything"]);
    default:
      return event.type;
  }
}

export async function live(url: string, signal: AbortSignal): Promise<string | undefined> {
  const events = readEvents(fetch(url), { signal, strict: true });
  for await (const event of events) if (event.type === "response.failed") return event.response.error?.message;
  const { outcome } = events;
  if (outcome?.outcome === "incomplete") return outcome.reason;
  // @ts-expect-error: only an incomplete response has a reason
  return outcome?.reason;
}
