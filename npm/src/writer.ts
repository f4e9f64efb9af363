import * as core from "../gen/full.js";
import { call, Misuse } from "./error.js";
import type { ResponseObject } from "./types.js";

/** What a writer needs before it starts. */
export interface WriterOptions {
  /** The response's id; item ids are derived from it. */
  id: string;
  model?: string;
  /** `created_at`, in whole seconds. */
  created_at?: number;
  /** The request that is answered: its fields are echoed. */
  request?: object;
  /** Response fields that differ from the defaults. */
  template?: object;
  /** Which names are used where Open Responses and OpenAI differ; `open_responses` by default. */
  dialect?: "open_responses" | "openai";
  edition?: string;
  /** What `heartbeat` writes; `comment` by default. */
  heartbeat?: "comment" | "keepalive" | "off";
}

/** Token counts; the detailed ones are 0 where they are left out. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens?: number;
  input_tokens_details?: { cached_tokens?: number };
  output_tokens_details?: { reasoning_tokens?: number };
}

/** An error to report; only the message must be there. */
export interface ApiError {
  message: string;
  type?: string;
  code?: string | null;
  param?: string | null;
  headers?: Record<string, string>;
}

/** An intent: `do` says what, the other members are its own. `Writer.apply` takes every intent that there is. */
export interface Intent {
  do: string;
  readonly [name: string]: unknown;
}

/**
 * Writes one response as a stream that cannot be wrong: numbers, indexes, parts and done events are its own business.
 *
 * Each intent writes every event that it takes, or throws `Misuse` and writes nothing. Take what was written with `take`,
 * or hand `readable` to a `Response`. Methods that add to an item mean the newest one, unless they are told its index.
 */
export class Writer {
  #core: core.Writer | null;
  #readable: ReadableStream<Uint8Array> | null = null;
  #out: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor(options: WriterOptions) {
    this.#core = call(() => new core.Writer(JSON.stringify(options)));
  }

  /** Carries out an intent, also as JSON text, whose numbers stay as they are written; returns the output index of the item that it opened, or null. */
  apply(intent: Intent | string): number | null {
    const writer = this.#live();
    const item = call(() => writer.apply(typeof intent === "string" ? intent : JSON.stringify(intent)));
    this.#flush();
    return item < 0 ? null : item;
  }

  /** Writes `response.created` and `response.in_progress`; the first intent does it by itself. */
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

  /** Opens an item of any type, extensions too. */
  open(type: string, fields: object = {}): number {
    return this.apply({ do: "open", type, fields })!;
  }

  /** Writes a whole item at once. */
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

  /** Adds raw reasoning. */
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

  /** Writes an event of one's own, `slug:name`. */
  extensionEvent(type: `${string}:${string}`, fields: object = {}): void {
    this.apply({ do: "extension_event", type, fields });
  }

  /** Ends the response well. */
  complete(usage?: Usage): void {
    this.apply({ do: "complete", ...(usage === undefined ? {} : { usage }) });
  }

  /** Ends the response early, for a reason. */
  incomplete(reason: string, usage?: Usage): void {
    this.apply({ do: "incomplete", reason, ...(usage === undefined ? {} : { usage }) });
  }

  /** Ends the response because its caller wants no more. */
  cancel(): void {
    this.apply({ do: "cancel" });
  }

  /** Ends the response because something broke. */
  fail(error: ApiError): void {
    this.apply({ do: "fail", error });
  }

  /** Writes a sign of life, as the options say. */
  heartbeat(): void {
    this.apply({ do: "heartbeat" });
  }

  /** Takes the bytes that were written since the last call. Empty while `readable` takes them. */
  take(): Uint8Array {
    return this.#live().take();
  }

  /** Takes the next event without its frame, as a WebSocket wants it; null when there is none. */
  pollEvent(): string | null {
    return this.#live().poll_event() ?? null;
  }

  /** What is written, as a stream of bytes; it closes after the terminal event. Cancelling it cancels the response. */
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

  /** The headers of a response that carries the stream. */
  get headers(): Record<string, string> {
    return { "content-type": "text/event-stream", "cache-control": "no-cache" };
  }

  /** The response so far. */
  get response(): ResponseObject {
    return JSON.parse(this.responseJson) as ResponseObject;
  }

  /** The response so far as JSON text. */
  get responseJson(): string {
    return this.#live().response();
  }

  /** Whether the terminal event was written. */
  get ended(): boolean {
    return this.#live().is_ended();
  }

  /** The number that the next event gets. */
  get sequenceNumber(): number {
    return this.#live().sequence_number();
  }

  /** Gives the memory back. */
  free(): void {
    this.#core?.free();
    this.#core = null;
  }

  #open(type: string, fields: object): number {
    return this.apply({ ...fields, do: type })!;
  }

  #add(what: string, text: string, item: number | undefined): void {
    this.apply({ do: what, text, ...at(item) });
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

if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Writer.prototype, Symbol.dispose, { value: Writer.prototype.free, configurable: true, writable: true });
}
