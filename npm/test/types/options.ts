// Compiled, never run: every option is typed, and an unknown option or word is an error.

import { AgUiStream, convert, Converter, ConvertStream, type ConvertOptions, type CustomProfile, history, OpenResponsesStream, Reader, type SourceDialect, type TargetDialect, UiMessageStream } from "deltafold/full";

export const converter = new Converter({ to: "ag-ui", options: { thread_id: "t", media: "activity", now: 0, provider: "mistral" } });

// @ts-expect-error: no option has this name
export const misspelled = new Converter({ to: "ag-ui", options: { thread_id: "t", threadId: "t" } });

// An option of another dialect, or one that lacks, is an error in every function.
export const chat = new Converter({ from: "ollama", to: "chat-completions", options: { response_id: "r", include_usage: false } });
export const target: "chat-completions" = chat.report.to;
// @ts-expect-error: the target has no usage chunk
export const elsewhere = new Converter({ to: "ui-message-stream", options: { include_usage: false } });
// @ts-expect-error: only thread events have turns
export const turns = new ConvertStream({ from: "gemini", to: "open-responses", options: { turns: "all" } });
// @ts-expect-error: AG-UI needs thread_id
export const threadless = new AgUiStream();
// @ts-expect-error: AG-UI needs thread_id
export const runOnly = new AgUiStream({ from: "anthropic", options: { run_id: "r" } });
// @ts-expect-error: Ollama's stream has no id
export const nameless = new OpenResponsesStream({ from: "ollama" });
export const named = new OpenResponsesStream({ from: "ollama", options: { response_id: "r", now: 0 } });
export const detected = [new UiMessageStream(), new OpenResponsesStream({ options: { turns: "first", envelope: "signature" } }), new AgUiStream({ options: { thread_id: "t", turns: "first" } })];
// @ts-expect-error: the target has no provider key
void convert([], { from: "mistral", to: "anthropic", options: { provider_key: "k" } });
void convert([], { from: "mistral", to: "ui-message-stream", options: { provider_key: "k", provider: "mistral" } }).then(({ report }) => report.to satisfies "ui-message-stream");

/** Dialects that are known only at run time. */
export function dynamic(from: SourceDialect | undefined, to: TargetDialect): Converter {
  const options: ConvertOptions = { ...(from && { from }), to, options: { response_id: "r", thread_id: "t" } };
  return new Converter({ ...options, to });
}

// @ts-expect-error: no edition has this name
export const edition = new Converter({ from: "ollama", to: "open-responses", options: { edition: "2020" } });

const profile: CustomProfile = { extends: "any", clients: ["openai-node"], exemptions: [{ rule: "SEQ-03", severity: "note" }] };
export const reader = new Reader({ profile, limits: { depth: 8 } });

// @ts-expect-error: an exemption needs a rule
export const incomplete: CustomProfile = { exemptions: [{ severity: "note" }] };

export const next = history({ model: "m" }, [], { extends: "stateless", ids: "drop", pairs: true });
