// Compiled, never run: the hook and the transport in components, with the types of React, `ai` and `@ai-sdk/react`.

import { useChat } from "@ai-sdk/react";
import type { ChatTransport, UIMessage } from "ai";
import { ResponseChatTransport, type ResponseChatTransportOptions } from "deltafold/ai";
import { type ResponseStatus, useResponse } from "deltafold/react";
import { useState } from "react";

type Message = UIMessage<{ model?: string }>;

export function Answer() {
  const { status, response, outcome, error, send, stop, resume } = useResponse({ onEvent: (event) => console.log(event.type), onEnd: (state) => state.error });
  const shown: ResponseStatus = status;
  return (
    <button onClick={status === "streaming" ? stop : () => send((signal) => fetch("/responses", { signal }))}>
      {[shown, outcome?.outcome, response?.output.length].join(" ")}
      {error !== null && <a onClick={() => resume((signal, last) => fetch(`/responses/1?starting_after=${last ?? 0}`, { signal }))}>again</a>}
    </button>
  );
}

const options: ResponseChatTransportOptions<Message> = { api: "/responses", from: "anthropic", options: { include_metadata: true }, headers: async () => ({ a: "b" }) };

// @ts-expect-error: no dialect has this name
export const nowhere = new ResponseChatTransport({ from: "nowhere" });

// @ts-expect-error: neither the AI SDK nor this package has the option. An unresolved type of the AI SDK would accept it.
export const misspelled = new ResponseChatTransport({ apy: "/responses" });

// @ts-expect-error: a transport returns streams
export const wrong: { sendMessages(...args: never[]): number } = new ResponseChatTransport();

export function Chat() {
  const [transport] = useState<ChatTransport<Message>>(() => new ResponseChatTransport(options));
  const { messages, sendMessage } = useChat<Message>({ transport });
  return <button onClick={() => void sendMessage({ text: "Hello" })}>{messages.map(({ metadata }) => metadata?.model)}</button>;
}
