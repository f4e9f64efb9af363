/* Types of what the library adds to the wire: options, findings, outcomes. */

import type { ExtensionEvent, ExtensionItem, Item, KnownEvent, ResponseObject } from "./contract.js";

export type { ExtensionEvent, ExtensionItem, Item, KnownEvent, ResponseObject };

/**
 * An event of a stream: the contract's events by `type`, and extensions as `slug:name`.
 *
 * A server may send a type that nobody lists. It arrives all the same, so a `switch` needs its `default`.
 */
export type StreamEvent = KnownEvent | ExtensionEvent;

/** The layers of validation. */
export type Layer = "framing" | "schema" | "stream";

/** The contract's editions; the names of the command line. */
export type Edition = "2026-01-15" | "2026-04-24" | "split" | "openai" | (string & {});

/** The provider whose known quirks are forgiven: a built-in name, or a profile of one's own (`deltafold/full`). */
export type Profile = string | { name?: string; about?: string; extends?: string; edition?: Edition; forgive?: Forgiven[] };

/** One line of a profile: a rule that weighs less, where, and why. */
export interface Forgiven {
  rule: string;
  path?: string;
  as?: "none" | "note" | "warning" | "error";
  why?: string;
}

/** Bounds on memory, depth and count; what is left out has its default. */
export interface Limits {
  line_bytes?: number;
  frame_bytes?: number;
  buffered_bytes?: number;
  depth?: number;
  items?: number;
  parts?: number;
  response_bytes?: number;
  findings?: number;
  /** Whether a line or frame past its limit ends reading (`error`, the default) or only loses its payload. */
  overflow?: "error" | "drop";
}

/** How a reader reads. */
export interface ReaderOptions {
  /** End reading at the first finding that is an error. */
  strict?: boolean;
  /** Which layers of validation look at the stream; `none` by default, the others need `deltafold/full`. */
  layers?: "all" | "none" | Layer[];
  /** What each rule weighs; `any` by default. */
  profile?: Profile;
  /** The edition to validate against; that of the profile if it is not given. */
  edition?: Edition;
  limits?: Limits;
  /** Rebuild the response from the events alone; the terminal snapshot only says how it ended. */
  without_terminal?: boolean;
  /** What happens to preview images; `keep-last` by default. */
  images?: "keep" | "keep-last" | "drop";
  /** Let findings quote short pieces of the payload, which can hold secrets. */
  quote?: boolean;
  /** The stream is a replay of what came after this number. */
  starting_after?: number;
  /** JSON Schemas of extension types, by event type and item type (`deltafold/full`). */
  schemas?: { events?: Record<string, object>; items?: Record<string, object> };
}

/** How much a finding weighs. */
export type Severity = "note" | "warning" | "error";

/** One rule broken by the stream, or one repair made. */
export interface Finding {
  /** The rule's id, such as `SEQ-03`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly layer: "framing" | "schema" | "stream" | "transport";
  /** Position of the event in the stream, from 0; null outside any. */
  readonly event_index: number | null;
  readonly sequence_number: number | null;
  /** Byte offset from the start of the stream. */
  readonly offset: number;
  /** JSON pointer into the payload; empty for the whole. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
  /** What was done about it, such as `opened_item`; null for nothing. */
  readonly repair: string | null;
}

/** How many findings there were, kept or not. */
export interface FindingCounts {
  readonly notes: number;
  readonly warnings: number;
  readonly errors: number;
}

/** An error as a stream reports it, in one shape. */
export interface Failure {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

/** How a stream ended. */
export type Outcome =
  | { readonly outcome: "completed" }
  | { readonly outcome: "incomplete"; readonly reason: string }
  | { readonly outcome: "failed"; readonly error: Failure }
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "truncated"; readonly last_sequence_number: number | null };

/** Rate limits as the server words them, newest value of each. */
export interface RateLimits {
  /** Header name in lower case, and its value. */
  readonly headers: Readonly<Record<string, string>>;
  /** The newest payload of a rate-limit event, or null. */
  readonly event: unknown;
  /** Seconds to wait before the next request, if the server said so (`deltafold/full`). */
  readonly retry_after_seconds?: number | null;
}
