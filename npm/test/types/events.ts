// Compiled, never run: the union narrows, and its events go where those of the `openai` package go.

import type { ResponseStreamEvent as Theirs } from "openai/resources/responses/responses";
import { type ExtensionEvent, type KnownEvent, readEvents, type StreamEvent } from "deltafold";
import { isOpenAIEvent, type OpenAIEventType } from "deltafold/openai";
import * as v from "valibot";
import { z } from "zod";

/** An event that their package knows goes where theirs go. */
export const handedOver = (event: StreamEvent): Theirs | null => (isOpenAIEvent(event) ? event : null);

/** The guard knows every event of theirs. Run with the oldest and the newest version of the peer range. */
export const unknownToGuard: Exclude<Theirs["type"], OpenAIEventType> extends never ? true : Exclude<Theirs["type"], OpenAIEventType> = true;

/** The values of a structured output are typed by the schema, incomplete while they grow. */
export async function structured(source: Response): Promise<number> {
  const recipe = readEvents(source).parsePartial(z.object({ title: z.string(), steps: z.array(z.object({ text: z.string() })) }));
  for await (const partial of recipe) {
    const title: string | undefined = partial.title;
    const step: string | undefined = partial.steps?.[0]?.text;
    // @ts-expect-error: the schema has no such member
    void [title, step, partial.other];
  }
  const whole = await readEvents(source).parsePartial(v.object({ minutes: v.number() })).value();
  return whole.minutes + (await recipe.value()).title.length;
}

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
