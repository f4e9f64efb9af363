import * as core from "../gen/full.js";
import { call } from "./error.js";
import type { CustomPolicy } from "./options.js";

export type { CustomPolicy };

/** A JSON object. */
type Json = Record<string, unknown>;

/** A step of a conversation: a response of the model, or an item of the next turn. */
export type HistoryStep = { response: object } | { item: object };

/** Data of a response that the next request leaves out. */
export interface HistoryFinding {
  code: string;
  /** Position of the response, from 0. */
  response: number;
  /** JSON pointer into that response. */
  path: string;
  item_type: string;
  message: string;
}

/** A tool call of a response, and whether it is allowed. */
export interface CallVerdict {
  index: number;
  type: string;
  /** The id for the call's result. */
  call_id: string;
  name: string;
  allowed: boolean;
  /** Why the call is not allowed; null if it is. */
  reason: string | null;
  detail: string;
  /** The item that reports the rejection to the model; null if the call is allowed. */
  answer: Json | null;
  /** The item of the response. */
  item: Json;
}

/** An error of any form in one shape, and the recommended action. */
export interface ErrorAdvice {
  form: "response" | "payload" | "socket" | "http" | "mcp_protocol" | "mcp_tool";
  type: string | null;
  code: string | null;
  message: string | null;
  param: string | null;
  status: number | null;
  action: "retry" | "reconnect" | "resend_context" | "shorten" | "give_up";
  /** Seconds to wait before the action, if the server named them. */
  after: number | null;
  why: string;
}

/** The result of a tool. */
export type ToolResult =
  | string
  | { text: string }
  | { json: unknown }
  | { parts: object[] }
  | { error: string }
  | { approve: boolean; reason?: string };

/** The name of a built-in policy, or a custom policy. */
export type Policy = string | CustomPolicy;

function named<T>(name: string, value: object): T {
  return JSON.parse(call(() => core.request_named(name, JSON.stringify(value)))) as T;
}

/** Builds the next request, with a finding for all data of the responses that it leaves out. */
export function history(request: object, steps: readonly HistoryStep[], policy: Policy = "stateless"): { request: Json; findings: HistoryFinding[] } {
  return named("history", { policy, request, steps });
}

/** Lists every tool call of a response and whether the request allows it. */
export function enforce(request: object, response: object): CallVerdict[] {
  return named<{ calls: CallVerdict[] }>("enforce", { request, response }).calls;
}

/** Reads an error of any form and recommends an action, such as a retry. */
export function advice(error: object, options: { status?: number; headers?: Record<string, string> } = {}): ErrorAdvice {
  return named("advice", { error, ...options });
}

/** Builds the `response.create` message of a WebSocket; `left_out` lists request fields that the message must not have. */
export function createMessage(request: object): { message: Json; left_out: string[] } {
  return named("create_message", { request });
}

/**
 * Makes the input items of the next request: the outputs that the response has itself, and an output for each result, by `call_id`.
 */
export function toolResults(response: object, results: Record<string, ToolResult> = {}): Json[] {
  return named<{ items: Json[] }>("tool_results", { response, results }).items;
}

/** The type of an error for a client. */
export type ErrorType = "server_error" | "invalid_request" | "not_found" | "model_error" | "too_many_requests";

/** An error for a client: the HTTP status and body, and the message for a WebSocket. */
export interface ErrorAnswer {
  status: number;
  body: { error: { type: ErrorType; code: string | null; message: string; param: string | null } };
  message: Json;
}

/** The exact cause of an error, and the request parameter that it affects. */
export interface ErrorDetails {
  code?: string;
  param?: string;
}

/** Makes an error for a client. */
export function apiError(type: ErrorType, message: string, details: ErrorDetails = {}): ErrorAnswer {
  return named("api_error", { type, message, ...details });
}

/** Makes the error of a server that failed. */
export const serverError = (message: string, details?: ErrorDetails): ErrorAnswer => apiError("server_error", message, details);

/** Makes the error of an invalid request. */
export const invalidRequest = (message: string, details?: ErrorDetails): ErrorAnswer => apiError("invalid_request", message, details);

/** Makes the error of a request that refers to an object that does not exist. */
export const notFound = (message: string, details?: ErrorDetails): ErrorAnswer => apiError("not_found", message, details);

/** Makes the error of a model that produced unusable output. */
export const modelError = (message: string, details?: ErrorDetails): ErrorAnswer => apiError("model_error", message, details);

/** Makes the error of a caller that sends too many requests. */
export const tooManyRequests = (message: string, details?: ErrorDetails): ErrorAnswer => apiError("too_many_requests", message, details);

/** Options of a tool loop. */
export interface ToolLoopOptions {
  policy?: Policy;
  max_turns?: number;
  max_calls?: number;
}

interface LoopState {
  state: "ready" | "waiting" | "finished" | "stopped";
  reason: "turns" | "calls" | "incomplete" | "failed" | "caller" | null;
  turns: number;
  pending: CallVerdict[];
  rejected: CallVerdict[];
  findings: HistoryFinding[];
}

/**
 * The state of a conversation with tools. It runs and sends nothing: send `request` and pass the response to `apply`; run the
 * `pending` calls and pass each result to `result`, in any order; repeat while `state` is "ready".
 */
export class ToolLoop {
  readonly #core: core.ToolLoop;
  #state: LoopState;
  #request: Json | undefined;

  constructor(request: object, options: ToolLoopOptions = {}) {
    this.#core = call(() => new core.ToolLoop(JSON.stringify({ ...options, request })));
    this.#state = this.#read();
  }

  /** Takes the response to `request`; returns the new state. */
  apply(response: object): LoopState["state"] {
    return this.#step(() => this.#core.take(JSON.stringify(response)));
  }

  /** Takes the result of a pending call; returns the new state. */
  result(callId: string, result: ToolResult): LoopState["state"] {
    return this.#step(() => this.#core.take(JSON.stringify(result), callId));
  }

  /** Ends the loop in any state; returns "stopped". No call is pending then. */
  stop(): LoopState["state"] {
    return this.#step(() => this.#core.stop());
  }

  get state(): LoopState["state"] {
    return this.#state.state;
  }

  /** Why the loop stopped; null if it did not. */
  get reason(): LoopState["reason"] {
    return this.#state.reason;
  }

  /** The number of responses with calls. */
  get turns(): number {
    return this.#state.turns;
  }

  /** The request to send while the state is "ready". */
  get request(): Json {
    return (this.#request ??= JSON.parse(call(() => this.#core.query(true))) as Json);
  }

  /** The calls without a result, in order. */
  get pending(): readonly CallVerdict[] {
    return this.#state.pending;
  }

  /** The calls of the last response that are not allowed. */
  get rejected(): readonly CallVerdict[] {
    return this.#state.rejected;
  }

  /** Data that the requests left out. */
  get findings(): readonly HistoryFinding[] {
    return this.#state.findings;
  }

  /** Frees the memory in the module; the garbage collector does it otherwise. */
  free(): void {
    this.#core.free();
  }

  #step(step: () => void): LoopState["state"] {
    // A refused step throws and changes nothing.
    call(step);
    this.#request = undefined;
    this.#state = this.#read();
    return this.#state.state;
  }

  #read(): LoopState {
    return JSON.parse(call(() => this.#core.query(false))) as LoopState;
  }
}
