// AG-UI: every event matches the published schemas; `enforceEvents` drops and changes nothing; `verifyEvents` accepts the order;
// a complete `HttpAgent` collects the messages and calls of the folded response.
import { deepEqual, equal, ok } from "node:assert/strict";
import { enforceEvents, HttpAgent, verifyEvents } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import { verifyEvents as verifyEvents0 } from "ag-ui-client-0";
import { EventSchemas } from "ag-ui-core-0";
import { from, lastValueFrom, toArray } from "rxjs";
import { comparable, each, same } from "./cases.mjs";

let legacy = 0;
const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));

const itemOf = (message) => message.id.replace(/_[cse]\d*$/, "");

await each("ag-ui", async (one, bytes) => {
  const events = bytes.toString("utf8").split("\n\n").filter(Boolean).map((frame) => JSON.parse(frame.slice("data: ".length)));
  const run = one.options.emit_run_lifecycle !== false;
  // Clients before 1.0 are still in use, and only the last of them knows the deprecated family.
  const old = one.options.protocol_version !== "1.0";
  if (old) for (const event of events) EventSchemas.parse(event);
  if (run && old) deepEqual(await lastValueFrom(from(events).pipe(verifyEvents0(), toArray())), events);
  if (events.some((event) => event.type.startsWith("THINKING_"))) {
    ok(one.options.reasoning_style === "thinking" || one.options.legacy_thinking);
    legacy += 1;
    return;
  }
  for (const event of events) EventSchema.parse(event);
  const enforced = await lastValueFrom(from(events).pipe(enforceEvents(), toArray()));
  deepEqual(enforced, events);
  if (!run) return;
  const verified = await lastValueFrom(from(events).pipe(verifyEvents(), toArray()));
  deepEqual(verified, events);

  const agent = new HttpAgent({
    url: "http://localhost/agent",
    threadId: events[0].threadId,
    fetch: async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } }),
  });
  const seen = [];
  let failure;
  await agent
    .runAgent({ runId: events[0].runId }, {
      onEvent: ({ event }) => void seen.push(event.type),
      onRunErrorEvent: ({ event }) => void (failure = event),
    })
    .catch((error) => { if (!failure) throw error; });
  equal(seen.length, events.length);
  equal(Boolean(failure), events.at(-1).type === "RUN_ERROR");

  const spoken = agent.messages.filter((message) => !["tool", "reasoning", "activity"].includes(message.role));
  const text = spoken.map((message) => message.content ?? "").join("");
  const calls = agent.messages.flatMap((message) => message.toolCalls ?? []);
  const order = (call) => one.calls.findIndex(([id]) => id === call.id);
  calls.sort((a, b) => order(a) - order(b));
  same(one, text, calls.map((call) => [call.id, call.function.name, call.function.arguments]));
  // In the folded response, raw parts come before summary parts, whichever arrived first.
  const thoughts = agent.messages.filter((message) => message.role === "reasoning");
  const item = (message) => thoughts.findIndex((other) => itemOf(other) === itemOf(message));
  thoughts.sort((a, b) => item(a) - item(b) || a.id.localeCompare(b.id, "en", { numeric: true }));
  if (comparable(one)) equal(thoughts.map((message) => message.content).join(""), one.reasoning);
});

ok(legacy > 2);
deepEqual(warnings, []);
