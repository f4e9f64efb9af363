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
  /** The exact cause. */
  code: string;
  /** Position of the response, from 0. */
  response: number;
  /** JSON pointer into that response. */
  path: string;
  /** The type of the item that the data belongs to. */
  item_type: string;
  /** What was left out and why. */
  message: string;
}

/** A tool call of a response, and whether it is allowed. */
export interface CallVerdict {
  /** Position of the call among the output items of its response. */
  index: number;
  /** The type of the item, such as `function_call`. */
  type: string;
  /** The id for the call's result. */
  call_id: string;
  /** The name of the tool. */
  name: string;
  /** True if the request allows the call. */
  allowed: boolean;
  /** Why the call is not allowed; null if it is. */
  reason: string | null;
  /** The limit or the names that decide, in words; empty if the call is allowed. */
  detail: string;
  /** The item that reports the rejection to the model; null if the call is allowed. */
  answer: Json | null;
  /** The item of the response. */
  item: Json;
}

/** An error of any form in one shape, and the recommended action. */
export interface ErrorAdvice {
  /** Where the error was: in a failed response, an `error` object or event, a WebSocket message, an HTTP body without an error object, or at an MCP server: unreachable, a protocol error, a failed tool. */
  form: "response" | "payload" | "socket" | "body" | "http" | "mcp_protocol" | "mcp_tool";
  /** The type that the server gave, such as `server_error`; null if it gave none. */
  type: string | null;
  /** The code that the server gave; null if it gave none. */
  code: string | null;
  /** The message of the server, which may quote the request; null if it gave none. */
  message: string | null;
  /** The request parameter that the server blames; null if it names none. */
  param: string | null;
  /** The HTTP status; null if it is unknown. */
  status: number | null;
  /** Send again after a pause, send again over a new connection, send the whole context without `previous_response_id`, shorten the input, or do not send again. */
  action: "retry" | "reconnect" | "resend_context" | "shorten" | "give_up";
  /** Seconds to wait before the action, if the server named them. */
  after: number | null;
  /** Why this action, in words. */
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
  /** The HTTP status of the answer. */
  status: number;
  /** The HTTP body of the answer. */
  body: { error: { type: ErrorType; code: string | null; message: string; param: string | null } };
  /** The message that reports the error over a WebSocket. */
  message: Json;
}

/** The exact cause of an error, and the request parameter that it affects. */
export interface ErrorDetails {
  /** The exact cause, such as `rate_limit_exceeded`. */
  code?: string;
  /** The request parameter that the error is about. */
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
  /** The form in which answers are sent back; `stateless` by default. */
  policy?: Policy;
  /** The loop stops after this number of responses with calls; 16 by default. */
  max_turns?: number;
  /** The loop stops after this number of calls; 128 by default. */
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

  /** Creates a loop that is `ready` to send this request. */
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

  /** `ready`: send `request`. `waiting`: calls need their results. `finished`: the last response had no calls. `stopped`: see `reason`. */
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
