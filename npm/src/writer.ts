import * as core from "../gen/full.js";
import { makeDisposable } from "./dispose.js";
import { call, Misuse } from "./error.js";
import type { ResponseObject } from "./types.js";

/** Options of a writer. */
export interface WriterOptions {
  /** The id of the response; item ids are derived from it. */
  id: string;
  /** The name of the model, which the response repeats. */
  model?: string;
  /** `created_at`, in whole seconds; by default the clock, also for `completed_at`. */
  created_at?: number;
  /** The request of the response; the response repeats its fields. */
  request?: object;
  /** Response fields that differ from the defaults. */
  template?: object;
  /** The names of reasoning events, which differ between Open Responses and OpenAI; `open_responses` by default. */
  reasoning_names?: "open_responses" | "openai";
  /** The edition of the contract that is written; the newest release of Open Responses by default. */
  edition?: string;
  /** What `heartbeat` writes; `comment` by default. */
  heartbeat?: "comment" | "keepalive" | "off";
}

/** Token counts; absent details are 0. */
export interface Usage {
  /** Tokens of the input. */
  input_tokens: number;
  /** Tokens of the output. */
  output_tokens: number;
  /** Tokens of both; their sum by default. */
  total_tokens?: number;
  /** Input tokens that came from a cache. */
  input_tokens_details?: { cached_tokens?: number };
  /** Output tokens that were used for reasoning. */
  output_tokens_details?: { reasoning_tokens?: number };
}

/** An error to report; only the message is required. */
export interface ApiError {
  /** What went wrong, for people. */
  message: string;
  /** The type of the error; `server_error` by default. */
  type?: string;
  /** The exact cause, as a word. */
  code?: string | null;
  /** The request parameter that the error is about. */
  param?: string | null;
  /** HTTP headers to repeat in the `error` event, such as rate limits. */
  headers?: Record<string, string>;
}

/** An intent: `do` names the action, the other members are its arguments. `Writer.apply` takes all intents. */
export interface Intent {
  /** The name of the intent, such as `message` or `text`. */
  do: string;
  readonly [name: string]: unknown;
}

/**
 * Writes one response as a valid stream. The writer assigns sequence numbers, indexes and ids, and writes part and done events.
 *
 * An intent writes all its events, or throws `Misuse` and writes nothing. Get the bytes with `take`, or pass `readable` to a
 * `Response`. Methods that add to an item use the newest item unless they get an index.
 */
export class Writer {
  /** @internal */
  static readonly name: string = "Writer";
  #core: core.Writer | null;
  #readable: ReadableStream<Uint8Array> | null = null;
  #out: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** Creates a writer; nothing is written yet. Throws `Misuse` for an invalid option. */
  constructor(options: WriterOptions) {
    makeDisposable(Writer.prototype);
    this.#core = call(() => new core.Writer(JSON.stringify(options)));
  }

  /** Applies an intent, given as an object or as JSON text (whose numbers keep their digits). Returns the output index of an opened item, or null. */
  apply(intent: Intent | string): number | null {
    const writer = this.#live();
    const item = call(() => writer.apply(typeof intent === "string" ? intent : JSON.stringify(intent)));
    this.#flush();
    return item < 0 ? null : item;
  }

  /** Writes `response.created` and `response.in_progress`; the first intent also does it. */
  start(): void {
    this.apply({ do: "start" });
  }

  /** Opens a message. */
  message(fields: object = {}): number {
    return this.#open("message", fields);
  }

  /** Opens a reasoning item. */
  reasoning(fields: object = {}): number {
    return this.#open("reasoning", fields);
  }

  /** Opens a function call. */
  functionCall(name: string, call_id: string, fields: object = {}): number {
    return this.#open("function_call", { ...fields, name, call_id });
  }

  /** Opens an item of any type, including extensions. */
  open(type: string, fields: object = {}): number {
    return this.apply({ do: "open", type, fields })!;
  }

  /** Writes a complete item. */
  item(item: object): number {
    return this.apply({ do: "item", item })!;
  }

  /** Adds output text. */
  text(text: string, item?: number): void {
    this.#add("text", text, item);
  }

  /** Adds to a refusal. */
  refusal(text: string, item?: number): void {
    this.#add("refusal", text, item);
  }

  /** Adds reasoning text. */
  reasoningText(text: string, item?: number): void {
    this.#add("reasoning_text", text, item);
  }

  /** Adds to the reasoning summary. */
  reasoningSummary(text: string, item?: number): void {
    this.#add("reasoning_summary", text, item);
  }

  /** Adds to the arguments of a call. */
  arguments(text: string, item?: number): void {
    this.#add("arguments", text, item);
  }

  /** Adds an annotation to the open text. */
  annotation(annotation: object, item?: number): void {
    this.apply({ do: "annotation", annotation, ...at(item) });
  }

  /** Closes an item. */
  close(item?: number, status?: "completed" | "incomplete" | "failed"): void {
    this.apply({ do: "close", ...at(item), ...(status === undefined ? {} : { status }) });
  }

  /** Writes an extension event; its type is `slug:name`. */
  extensionEvent(type: `${string}:${string}`, fields: object = {}): void {
    this.apply({ do: "extension_event", type, fields });
  }

  /** Ends the response as completed. */
  complete(usage?: Usage): void {
    this.apply({ do: "complete", ...(usage === undefined ? {} : { usage }) });
  }

  /** Ends the response as incomplete, with a reason. */
  incomplete(reason: string, usage?: Usage): void {
    this.apply({ do: "incomplete", reason, ...(usage === undefined ? {} : { usage }) });
  }

  /** Ends the response as cancelled. */
  cancel(): void {
    this.apply({ do: "cancel" });
  }

  /** Ends the response as failed. */
  fail(error: ApiError): void {
    this.apply({ do: "fail", error });
  }

  /** Writes a heartbeat in the form that the options select. */
  heartbeat(): void {
    this.apply({ do: "heartbeat" });
  }

  /** Returns the bytes since the last call. Empty while `readable` is in use. */
  take(): Uint8Array {
    return this.#live().take();
  }

  /** Returns the next event as JSON without SSE framing, for a WebSocket; null if there is none. */
  pollEvent(): string | null {
    return this.#live().poll_event() ?? null;
  }

  /** The output as a stream of bytes, which closes after the terminal event. Cancelling it cancels the response. */
  get readable(): ReadableStream<Uint8Array> {
    this.#readable ??= new ReadableStream<Uint8Array>({
      start: (out) => {
        this.#out = out;
        this.#flush();
      },
      cancel: () => {
        this.#out = null;
        if (this.#core !== null && !this.#core.is_ended()) this.cancel();
      },
    });
    return this.#readable;
  }

  /** The HTTP headers for the stream. */
  get headers(): Record<string, string> {
    return { "content-type": "text/event-stream", "cache-control": "no-cache" };
  }

  /**
   * Runs a function that writes, and returns the response for an HTTP client, such as the result of a route handler of Next or Hono.
   *
   * A heartbeat is written while the function is silent. If it throws, or returns before the response has ended, the response ends as
   * failed; the message of the error is not sent, because it may quote secrets. A client that goes away cancels the response, and what
   * the function writes then throws `Misuse`.
   */
  toResponse(write: (writer: Writer) => unknown, { heartbeat = 15_000, ...init }: ResponseInit & { heartbeat?: number } = {}): Response {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries({ ...this.headers, "x-accel-buffering": "no" })) if (!headers.has(name)) headers.set(name, value);
    const timer = heartbeat > 0 ? setInterval(() => this.ended || this.apply({ do: "heartbeat" }), heartbeat) : undefined;
    const run = async (): Promise<void> => {
      let message = "the server did not complete the response";
      try {
        await write(this);
      } catch {
        message = "the server failed while it wrote the response";
      }
      clearInterval(timer);
      if (this.#core !== null && !this.ended) this.fail({ message, type: "server_error", code: "server_error" });
    };
    void run();
    return new Response(this.readable, { ...init, headers });
  }

  /** The response so far. */
  get response(): ResponseObject {
    return JSON.parse(this.responseJson) as ResponseObject;
  }

  /** The response so far as JSON text. */
  get responseJson(): string {
    return this.#live().response();
  }

  /** True after the terminal event was written. */
  get ended(): boolean {
    return this.#live().is_ended();
  }

  /** The sequence number of the next event. */
  get sequenceNumber(): number {
    return this.#live().sequence_number();
  }

  /** Frees the memory in the module. */
  free(): void {
    this.#core?.free();
    this.#core = null;
  }

  #open(type: string, fields: object): number {
    return this.apply({ ...fields, do: type })!;
  }

  #add(intent: string, text: string, item: number | undefined): void {
    this.apply({ do: intent, text, ...at(item) });
  }

  #flush(): void {
    if (this.#out === null) return;
    const writer = this.#live();
    const bytes = writer.take();
    if (bytes.length > 0) this.#out.enqueue(bytes);
    if (writer.is_ended()) {
      this.#out.close();
      this.#out = null;
    }
  }

  #live(): core.Writer {
    if (!this.#core) throw new Misuse("the writer was freed", "misuse.after_finish", 0);
    return this.#core;
  }
}

function at(item: number | undefined): { item?: number } {
  return item === undefined ? {} : { item };
}
