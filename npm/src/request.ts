import * as core from "../gen/full.js";
import { call } from "./error.js";

/** A JSON object. */
type Json = Record<string, unknown>;

/** A step of a conversation: an answer that came, or an item of the next turn. */
export type HistoryStep = { response: object } | { item: object };

/** Something that the next request does not have although an answer had it. */
export interface HistoryFinding {
  code: string;
  /** Which answer, from 0. */
  response: number;
  /** JSON pointer into that answer. */
  path: string;
  item_type: string;
  message: string;
}

/** A call of an answer, and whether it may be run. */
export interface CallVerdict {
  index: number;
  type: string;
  /** The id by which the call is answered. */
  call_id: string;
  name: string;
  allowed: boolean;
  /** Why it must not be run; null if it may. */
  reason: string | null;
  detail: string;
  /** The item that tells the model that, and why, the call was not run; null if it may be run. */
  answer: Json | null;
  /** The item as it came. */
  item: Json;
}

/** An error in any form, read, and what to do about it. */
export interface ErrorAdvice {
  form: "response" | "payload" | "socket" | "http" | "mcp_protocol" | "mcp_tool";
  type: string | null;
  code: string | null;
  message: string | null;
  param: string | null;
  status: number | null;
  action: "retry" | "reconnect" | "resend_context" | "shorten" | "give_up";
  /** Seconds to wait first, if the server said so. */
  after: number | null;
  why: string;
}

/** What a tool gave back. */
export type ToolResult =
  | string
  | { text: string }
  | { json: unknown }
  | { parts: object[] }
  | { error: string }
  | { approve: boolean; reason?: string };

/** A built-in policy's name, or a policy of one's own. */
export type Policy = string | Json;

function named<T>(what: string, value: object): T {
  return JSON.parse(call(() => core.request_named(what, JSON.stringify(value)))) as T;
}

/** The next request, and a finding for each thing that it does not have although an answer had it. */
export function history(request: object, steps: readonly HistoryStep[], policy: Policy = "stateless"): { request: Json; findings: HistoryFinding[] } {
  return named("history", { policy, request, steps });
}

/** Every call of a response, and whether the request allows it. */
export function enforce(request: object, response: object): CallVerdict[] {
  return named<{ calls: CallVerdict[] }>("enforce", { request, response }).calls;
}

/** Reads an error in any form and says whether to try again. */
export function advice(error: object, options: { status?: number; headers?: Record<string, string> } = {}): ErrorAdvice {
  return named("advice", { error, ...options });
}

/** The `response.create` message of a WebSocket, and the fields of the request that it must not have. */
export function createMessage(request: object): { message: Json; left_out: string[] } {
  return named("create_message", { request });
}

/** How a tool loop goes. */
export interface ToolLoopOptions {
  policy?: Policy;
  max_turns?: number;
  max_calls?: number;
}

interface Shown {
  state: "ready" | "waiting" | "finished" | "stopped";
  reason: "turns" | "calls" | "incomplete" | "failed" | "caller" | null;
  turns: number;
  pending: CallVerdict[];
  rejected: CallVerdict[];
  findings: HistoryFinding[];
  request: Json;
}

/**
 * Keeps a conversation with tools going. It runs nothing and sends nothing: send `request` and hand the response to `apply`; run
 * what is `pending` and give each `result`, in any order; go on while `state` is "ready".
 */
export class ToolLoop {
  // A loop is a function of what it was told, so what it was told is all that is kept.
  #told: { request: object; steps: object[] } & ToolLoopOptions;
  #shown: Shown;

  constructor(request: object, options: ToolLoopOptions = {}) {
    this.#told = { ...options, request, steps: [] };
    this.#shown = named("tool_loop", this.#told);
  }

  /** Takes the response to `request`; the state. */
  apply(response: object): Shown["state"] {
    return this.#step({ response });
  }

  /** Takes the result of a pending call; the state. */
  result(callId: string, result: ToolResult): Shown["state"] {
    return this.#step({ result: [callId, result] });
  }

  /** Ends the loop, in any state; the state, "stopped". No further request is made, and nothing is pending. */
  stop(): Shown["state"] {
    return this.#step({ stop: true });
  }

  get state(): Shown["state"] {
    return this.#shown.state;
  }

  /** Why it stopped; null if it did not. */
  get reason(): Shown["reason"] {
    return this.#shown.reason;
  }

  /** How many responses with calls there were. */
  get turns(): number {
    return this.#shown.turns;
  }

  /** The request to send when the state is "ready". */
  get request(): Json {
    return this.#shown.request;
  }

  /** Calls that wait for a result, in order. */
  get pending(): readonly CallVerdict[] {
    return this.#shown.pending;
  }

  /** Calls of the last response that must not be run. */
  get rejected(): readonly CallVerdict[] {
    return this.#shown.rejected;
  }

  /** What was left out of the requests. */
  get findings(): readonly HistoryFinding[] {
    return this.#shown.findings;
  }

  #step(step: object): Shown["state"] {
    const told = { ...this.#told, steps: [...this.#told.steps, step] };
    // A step that is refused throws, and changes nothing.
    this.#shown = named("tool_loop", told);
    this.#told = told;
    return this.#shown.state;
  }
}
