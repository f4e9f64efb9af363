// Compiled, never run: every option is typed, and an unknown option or word is an error.

import { Converter, type CustomProfile, history, Reader } from "deltafold/full";

export const converter = new Converter({ to: "ag-ui", options: { thread_id: "t", media: "activity", now: 0, provider: "mistral" } });

// @ts-expect-error: no option has this name
export const misspelled = new Converter({ to: "ag-ui", options: { threadId: "t" } });

// @ts-expect-error: no edition has this name
export const edition = new Converter({ from: "ollama", to: "open-responses", options: { edition: "2020" } });

const profile: CustomProfile = { extends: "any", clients: ["openai-node"], exemptions: [{ rule: "SEQ-03", severity: "note" }] };
export const reader = new Reader({ profile, limits: { depth: 8 } });

// @ts-expect-error: an exemption needs a rule
export const incomplete: CustomProfile = { exemptions: [{ severity: "note" }] };

export const next = history({ model: "m" }, [], { extends: "stateless", ids: "drop", pairs: true });
