import * as core from "../gen/full.js";
import { call } from "./error.js";
import { Reader } from "./reader.js";
import { type ByteSource, Chunks } from "./source.js";
import type { Edition, Finding, FindingCounts, Outcome, ReaderOptions, ResponseObject } from "./types.js";

/** The result of a check of a whole stream. */
export interface Report {
  /** The broken rules and the repairs; at most `limits.findings`. */
  readonly findings: readonly Finding[];
  /** The number of findings by severity. */
  readonly counts: FindingCounts;
  /** How the stream ended. */
  readonly outcome: Outcome;
  /** The response at the end; null if there were no events. */
  readonly response: ResponseObject | null;
  /** The number of events. */
  readonly events: number;
}

/** Reads a whole source with every layer of validation, by default against Open Responses as published. */
export async function check(source: ByteSource, options: ReaderOptions = {}): Promise<Report> {
  const reader = new Reader({ layers: "all", profile: "open-responses", ...options });
  const chunks = new Chunks(source, undefined);
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) reader.feed(chunk);
    const outcome = reader.finish();
    return { findings: reader.findings, counts: reader.findingCounts, outcome, response: reader.response, events: reader.eventCount };
  } finally {
    await chunks.cancel();
    reader.free();
  }
}

/** The kinds of JSON objects that can be checked alone; any other text is the name of a schema of the contract, such as `Usage`. */
export type Checkable =
  | "event"
  | "response"
  | "item"
  | "input_item"
  | "request"
  | "compact_request"
  | "compact_response"
  | "token_count"
  | "websocket_create"
  | "websocket_error"
  | "error"
  | "request_head"
  | "response_head"
  | (string & {});

/** Options of `validate`. */
export interface ValidateOptions {
  /** The edition of the contract to validate against; the newest release of Open Responses by default. */
  edition?: Edition;
  /** For an `error` body: its HTTP status. */
  status?: number;
  /** JSON Schemas of extension types. */
  schemas?: ReaderOptions["schemas"];
}

/** Checks one object, given as a value or as JSON text, against the schema and the rules for its kind. */
export function validate(kind: Checkable, value: unknown, options: ValidateOptions = {}): Finding[] {
  const json = typeof value === "string" ? value : JSON.stringify(value);
  return JSON.parse(call(() => core.validate_named(kind, json, JSON.stringify(options)))) as Finding[];
}

/** Checks the body of a request. */
export const validateRequest = (value: unknown, options?: ValidateOptions): Finding[] => validate("request", value, options);

/** Checks a response object. */
export const validateResponse = (value: unknown, options?: ValidateOptions): Finding[] => validate("response", value, options);

/** Checks an output item. */
export const validateItem = (value: unknown, options?: ValidateOptions): Finding[] => validate("item", value, options);

/** Checks one event. */
export const validateEvent = (value: unknown, options?: ValidateOptions): Finding[] => validate("event", value, options);

/** The documentation of a rule. */
export interface Explanation {
  /** The rule's id, such as `SEQ-03`. */
  readonly rule: string;
  /** `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT` or `MAY` of the specification; `schema`, `implied` or `practice` for a rule without such a word. */
  readonly level: string;
  /** The severity without a profile: `note`, `warning` or `error`. */
  readonly severity: string;
  /** The layer that checks the rule: `framing`, `schema`, `stream` or `transport`. */
  readonly layer: string;
  /** What the rule requires. */
  readonly says: string;
  /** Why the rule exists: what breaks without it. */
  readonly why: string;
  /** An example that keeps the rule. */
  readonly right: string;
  /** An example that breaks the rule. */
  readonly wrong: string;
  /** Why deltafold cannot check this rule; empty for rules that are checked. */
  readonly unseen: string;
}

/** Returns the documentation of a rule; null if there is no rule with this id. */
export function explain(rule: string): Explanation | null {
  const json = call(() => core.explain(rule));
  return json === "" ? null : (JSON.parse(json) as Explanation);
}

/** Returns whether a name can be the type of an extension event or item: `slug:name`, with letters, digits, `_`, `-` and `.`. */
export function isValidExtensionType(name: string): boolean {
  return call(() => core.is_valid_extension_type(name));
}

/** Returns whether a status of an item is final: no further event changes the item. False for a word that is no status. */
export function isTerminalStatus(status: string): boolean {
  return call(() => core.is_final_status(status, false));
}

/** Returns whether a status of an item says that the item is complete. False for a word that is no status. */
export function isSuccessStatus(status: string): boolean {
  return call(() => core.is_final_status(status, true));
}

/** Returns the names of the built-in profiles. */
export function profiles(): string[] {
  return call(core.profiles);
}
