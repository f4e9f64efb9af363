import * as core from "../gen/full.js";
import { call, DeltafoldError } from "./error.js";
import { extendTransform, LazyTransform } from "./streams.js";
import { type ByteSource, Chunks } from "./source.js";
import type { AdapterOptions, Limits } from "./options.js";

/** The dialects that can be read. */
export type SourceDialect = "open-responses" | "anthropic" | "chat-completions" | "gemini" | "blocks" | "thread-events" | "ollama" | "mistral" | "cohere" | "bedrock";

/** The dialects that can be written. */
export type TargetDialect = "open-responses" | "anthropic" | "chat-completions" | "ag-ui" | "ui-message-stream";

export type { AdapterOptions };

/** Options of a conversion. */
export interface ConvertOptions {
  /** The dialect that is read; detected if absent. */
  from?: SourceDialect;
  /** The dialect that is written. */
  to: TargetDialect;
  /** Options of both adapters. An unknown option is an error that lists the known ones. */
  options?: AdapterOptions;
  /** Framing of the output; `sse` by default. */
  framing?: "sse" | "jsonl";
  /** Bounds on the memory that the conversion may use. */
  limits?: Limits;
}

/** Data that a conversion lost, repaired or assumed. */
export interface Loss {
  /** The exact cause. */
  readonly code: string;
  /** `lost`: the target has no place for it. `repaired`: the source was invalid. `assumed`: the source did not say it. */
  readonly kind: "lost" | "repaired" | "assumed";
  /** Position of the source's event or message in its stream, from 0. */
  readonly event_index: number;
  /** Byte offset of that event in the source; 0 if there is none. */
  readonly offset: number;
  /** Names of types and fields, never payload text. */
  readonly detail?: string;
}

/** Converts a stream from one dialect to another, in push form. */
export class Converter {
  /** @internal */
  static readonly name: string = "Converter";
  readonly #core: core.Converter;

  /** Creates a converter at the start of a stream. Throws `Misuse` for an unknown dialect or option. */
  constructor(options: ConvertOptions) {
    this.#core = call(() => new core.Converter(JSON.stringify(options)));
  }

  /** Takes bytes of the source, split anywhere, and returns the bytes of the target that are ready. */
  feed(chunk: Uint8Array): Uint8Array {
    return call(() => this.#core.feed(chunk));
  }

  /**
   * Ends the input and returns the last bytes. Call it also if the source broke off: a stream without an end gets the terminal event of a
   * failure with the code `stream_truncated`: `response.failed`, `RUN_ERROR`, `error`.
   */
  finish(): Uint8Array {
    return call(() => this.#core.finish());
  }

  /** Cancels the response and returns the last bytes. Open Responses that are passed on end as failed, with the code `cancelled`. */
  cancel(): Uint8Array {
    return call(() => this.#core.cancel());
  }

  /** Returns the bytes that were ready before an error. */
  take(): Uint8Array {
    return this.#core.take();
  }

  /** The dialect that is read; null until it is detected. */
  get source(): SourceDialect | null {
    return (this.#core.source() || null) as SourceDialect | null;
  }

  /** The data that was lost, repaired or assumed so far, and the number of losses. */
  get report(): { from: string; to: string; findings: readonly Loss[] } & Readonly<Record<string, unknown>> {
    return JSON.parse(this.#core.report()) as { from: string; to: string; findings: Loss[] };
  }

  /** The number of losses. */
  get lost(): number {
    return this.#core.lost();
  }

  /** Frees the memory in the module. */
  free(): void {
    this.#core.free();
  }
}

/** Transforms one dialect to another: `body.pipeThrough(new ConvertStream({ to: "ag-ui" }))`. */
export class ConvertStream extends LazyTransform<Uint8Array, Uint8Array> {
  /** @internal */
  static readonly name: string = "ConvertStream";
  /** The converter of the stream, with its report. */
  readonly converter: Converter;
  readonly #to: TargetDialect;
  readonly #framing: "sse" | "jsonl";

  /** Creates a transform with a converter of these options. */
  constructor(options: ConvertOptions) {
    extendTransform(ConvertStream);
    const converter = new Converter(options);
    const pass = (run: () => Uint8Array, out: TransformStreamDefaultController<Uint8Array>): void => {
      try {
        const bytes = run();
        if (bytes.length > 0) out.enqueue(bytes);
      } catch (error) {
        // Output from before the limit is valid.
        const rest = error instanceof DeltafoldError ? converter.take() : new Uint8Array();
        if (rest.length > 0) out.enqueue(rest);
        throw error;
      }
    };
    super({
      transform: (chunk, out) => pass(() => converter.feed(chunk), out),
      flush: (out) => pass(() => converter.finish(), out),
    });
    this.converter = converter;
    this.#to = options.to;
    this.#framing = options.framing ?? "sse";
  }

  /** The data that was lost, repaired or assumed so far. */
  get report(): Converter["report"] {
    return this.converter.report;
  }

  /**
   * Converts a source to a response for an HTTP client, such as the result of a route handler of Next or Hono.
   *
   * It has the headers of the target, and a comment while the source is silent. If the source breaks, the response ends as the target
   * ends a failure. A client that goes away cancels the source.
   */
  toResponse(source: ByteSource, { heartbeat = HEARTBEAT, signal, ...init }: ToResponseOptions = {}): Response {
    const { converter } = this;
    const chunks = new Chunks(source, signal);
    let timer: ReturnType<typeof setInterval> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (out) => {
        if (heartbeat > 0 && this.#framing === "sse") timer = setInterval(() => out.enqueue(COMMENT.slice()), heartbeat);
      },
      pull: async (out) => {
        let bytes: Uint8Array | undefined;
        try {
          for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
            bytes = converter.feed(chunk);
            if (bytes.length > 0) return out.enqueue(bytes);
          }
        } catch (error) {
          await chunks.cancel(error);
        }
        clearInterval(timer);
        try {
          bytes = converter.finish();
        } catch {
          bytes = converter.take();
        }
        if (bytes.length > 0) out.enqueue(bytes);
        out.close();
      },
      cancel: (reason) => {
        clearInterval(timer);
        return chunks.cancel(reason);
      },
    });
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(headersOf(this.#to, this.#framing))) if (!headers.has(name)) headers.set(name, value);
    return new Response(body, { ...init, headers });
  }
}

/** Options of `toResponse`: status and headers of the response, and when to send a comment. */
export interface ToResponseOptions extends ResponseInit {
  /** Milliseconds between two comments; 15,000 by default, 0 for none. Proxies close connections that are silent. */
  heartbeat?: number;
  /** Aborting it ends the response as a failure. */
  signal?: AbortSignal;
}

const HEARTBEAT = 15_000;
const COMMENT = /* @__PURE__ */ new Uint8Array([0x3a, 0x0a, 0x0a]);

function headersOf(to: TargetDialect, framing: "sse" | "jsonl"): Record<string, string> {
  return {
    "content-type": framing === "sse" ? "text/event-stream" : "application/x-ndjson",
    "cache-control": "no-cache",
    // nginx collects the output of a server otherwise.
    "x-accel-buffering": "no",
    ...(to === "ui-message-stream" && { "x-vercel-ai-ui-message-stream": "v1" }),
  };
}

/** Transforms a stream in any dialect to AG-UI events. */
export class AgUiStream extends ConvertStream {
  /** Creates a transform; the dialect of the source is detected if `from` is absent. */
  constructor(options: Omit<ConvertOptions, "to"> = {}) {
    super({ ...options, to: "ag-ui" });
  }
}

/** Transforms a stream in any dialect to a UI message stream of the Vercel AI SDK. */
export class UiMessageStream extends ConvertStream {
  /** Creates a transform; the dialect of the source is detected if `from` is absent. */
  constructor(options: Omit<ConvertOptions, "to"> = {}) {
    super({ ...options, to: "ui-message-stream" });
  }
}

/** Transforms a stream in any dialect to Open Responses events. */
export class OpenResponsesStream extends ConvertStream {
  /** Creates a transform; the dialect of the source is detected if `from` is absent. */
  constructor(options: Omit<ConvertOptions, "to"> = {}) {
    super({ ...options, to: "open-responses" });
  }
}

/** Converts a whole source and returns the bytes and the report. */
export async function convert(source: ByteSource, options: ConvertOptions): Promise<{ bytes: Uint8Array; report: Converter["report"] }> {
  const converter = new Converter(options);
  const chunks = new Chunks(source, undefined);
  const pieces: Uint8Array[] = [];
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) pieces.push(converter.feed(chunk));
    pieces.push(converter.finish());
    return { bytes: joined(pieces), report: converter.report };
  } finally {
    await chunks.cancel();
    converter.free();
  }
}

/** Detects the dialect from the start of a stream; null if none matches. */
export function detectDialect(start: Uint8Array): SourceDialect | null {
  return (call(() => core.detect_dialect(start)) || null) as SourceDialect | null;
}

/** Lists all dialects and whether deltafold can read and write each. */
export function dialects(): { name: string; read: boolean; written: boolean }[] {
  const rows = JSON.parse(call(core.dialects)) as [string, boolean, boolean][];
  return rows.map(([name, read, written]) => ({ name, read, written }));
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
