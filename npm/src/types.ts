/* Types that are not part of the wire format: options, findings, outcomes. */

import type { ExtensionEvent, ExtensionItem, Item, KnownEvent, ResponseObject } from "./contract.js";
import type { CustomProfile, ExtensionSchemas, Limits } from "./options.js";

export type { ExtensionEvent, ExtensionItem, Item, KnownEvent, ResponseObject };
export type { CustomProfile, Exemption, ExtensionSchemas, Limits } from "./options.js";

/**
 * An event of a stream: an event of the contract, or an extension with the type `slug:name`.
 *
 * A server can send other types. They are returned too, so a `switch` over `type` needs a `default`.
 */
export type StreamEvent = KnownEvent | ExtensionEvent;

/** The layers of validation. */
export type Layer = "framing" | "schema" | "stream";

/** The editions of the contract, with the names of the command line. */
export type Edition = "2026-01-15" | "2026-04-24" | "split" | "openai" | (string & {});

/** The known deviations of a provider: a built-in name, or a custom profile (`deltafold/full`). */
export type Profile = string | CustomProfile;

/** Options of a reader. */
export interface ReaderOptions {
  /** Ends reading at the first finding with the severity `error`. */
  strict?: boolean;
  /** The layers of validation; `none` by default. Others need `deltafold/full`. */
  layers?: "all" | "none" | Layer[];
  /** The severity of each rule; `any` by default. */
  profile?: Profile;
  /** The edition to validate against; by default that of the profile. */
  edition?: Edition;
  /** Bounds on memory, nesting and counts. */
  limits?: Limits;
  /** Builds the response from the events alone; the snapshot of the terminal event only gives the outcome. */
  ignore_terminal_snapshot?: boolean;
  /** Gives items without an id one when the response has ended, derived from the response's id and their index; `deltafold/full` only. */
  derive_item_ids?: boolean;
  /** Which preview images are kept; `keep-last` by default. */
  images?: "keep" | "keep-last" | "drop";
  /** Findings quote short parts of the payload, which can contain secrets. */
  quote?: boolean;
  /** The stream is a replay of the events after this sequence number. */
  starting_after?: number;
  /** JSON Schemas of extension types, by event type and item type (`deltafold/full`). */
  schemas?: ExtensionSchemas;
}

/** The severity of a finding. */
export type Severity = "note" | "warning" | "error";

/** A rule that the stream breaks, or a repair. */
export interface Finding {
  /** The rule's id, such as `SEQ-03`. */
  readonly rule: string;
  /** How serious it is, under the profile of the reader. */
  readonly severity: Severity;
  /** The layer that reported it. */
  readonly layer: "framing" | "schema" | "stream" | "transport";
  /** Position of the event in the stream, from 0; null if the finding belongs to no event. */
  readonly event_index: number | null;
  /** The sequence number of the event; null if it has none. */
  readonly sequence_number: number | null;
  /** Byte offset from the start of the stream. */
  readonly offset: number;
  /** JSON pointer into the payload; empty for the whole payload. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
  /** The repair, such as `opened_item`; null if there is none. */
  readonly repair: string | null;
}

/** The number of findings by severity, including those that are not stored. */
export interface FindingCounts {
  /** Information: no rule of the specification is broken. */
  readonly notes: number;
  /** A recommendation is broken, or a published client fails. */
  readonly warnings: number;
  /** A requirement of the specification is broken. */
  readonly errors: number;
}

/** An error that a stream reports. */
export interface Failure {
  /** The class of the error, such as `server_error`; empty if the stream names none. */
  readonly type: string;
  /** The exact cause; empty if the stream names none. */
  readonly code: string;
  /** The message of the server, which may quote the request. */
  readonly message: string;
  /** The request parameter that the error is about; null if there is none. */
  readonly param: string | null;
}

/** How a stream ended. */
export type Outcome =
  | { readonly outcome: "completed" }
  | { readonly outcome: "incomplete"; readonly reason: string }
  | { readonly outcome: "failed"; readonly error: Failure }
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "truncated"; readonly last_sequence_number: number | null };

/** The newest rate limits, with the server's names and values. */
export interface RateLimits {
  /** Header names in lower case, with their values. */
  readonly headers: Readonly<Record<string, string>>;
  /** The newest payload of a rate-limit event, or null. */
  readonly event: unknown;
  /** Seconds to wait before the next request, if the server named them (`deltafold/full`). */
  readonly retry_after_seconds?: number | null;
}
