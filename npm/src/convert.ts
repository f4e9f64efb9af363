import * as core from "../gen/full.js";
import { call, DeltafoldError } from "./error.js";
import { extendTransform, LazyTransform } from "./streams.js";
import { type ByteSource, Chunks } from "./source.js";
import type { AdapterOptions, Limits, SourceOptions, TargetOptions } from "./options.js";

/** The dialects that can be read. */
export type SourceDialect = "open-responses" | "anthropic" | "chat-completions" | "gemini" | "blocks" | "thread-events" | "ollama" | "mistral" | "cohere" | "bedrock";

/** The dialects that can be written. */
export type TargetDialect = "open-responses" | "anthropic" | "chat-completions" | "ag-ui" | "ui-message-stream";

export type { AdapterOptions, SourceOptions, TargetOptions };

/** The names of the options that any adapter that reads has. */
type SourceOptionName = { [Dialect in SourceDialect]: keyof SourceOptions[Dialect] }[SourceDialect];

/**
 * The options of the two adapters of a conversion: members of `AdapterOptions`. If `From` is every dialect, because the dialect is detected, those
 * of all adapters that read, none of them required.
 */
export type ConversionOptions<From extends SourceDialect = SourceDialect, To extends TargetDialect = TargetDialect> = ([SourceDialect] extends [From] ? Pick<AdapterOptions, SourceOptionName> : SourceOptions[From]) & TargetOptions[To];

/** The member `options`, which may be absent if no option is required. */
type WithOptions<Options> = object extends Options
  ? {
      /** Options of both adapters. An unknown option is an error that lists the known ones. */
      options?: Options;
    }
  : {
      /** Options of both adapters, some of which are required. An unknown option is an error that lists the known ones. */
      options: Options;
    };

/** Options of an adapter stream, whose target is known. */
export type AdapterStreamOptions<From extends SourceDialect = SourceDialect, To extends TargetDialect = TargetDialect> = {
  /** The dialect that is read; detected if absent. */
  from?: From;
  /** Framing of the output; `sse` by default. */
  framing?: "sse" | "jsonl";
  /** Bounds on the memory that the conversion may use. */
  limits?: Limits;
} & WithOptions<ConversionOptions<From, To>>;

/** Options of a conversion. The dialects determine the type of `options`. */
export type ConvertOptions<From extends SourceDialect = SourceDialect, To extends TargetDialect = TargetDialect> = AdapterStreamOptions<From, To> & {
  /** The dialect that is written. */
  to: To;
};

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
export class Converter<From extends SourceDialect = SourceDialect, To extends TargetDialect = TargetDialect> {
  /** @internal */
  static readonly name: string = "Converter";
  readonly #core: core.Converter;

  /** Creates a converter at the start of a stream. Throws `Misuse` for an unknown dialect or option. */
  constructor(options: ConvertOptions<From, To>) {
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
  get source(): From | null {
    return (this.#core.source() || null) as From | null;
  }

  /** The data that was lost, repaired or assumed so far, and the number of losses. */
  get report(): { from: string; to: To; findings: readonly Loss[] } & Readonly<Record<string, unknown>> {
    return JSON.parse(this.#core.report()) as { from: string; to: To; findings: Loss[] };
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
export class ConvertStream<From extends SourceDialect = SourceDialect, To extends TargetDialect = TargetDialect> extends LazyTransform<Uint8Array, Uint8Array> {
  /** @internal */
  static readonly name: string = "ConvertStream";
  /** The converter of the stream, with its report. */
  readonly converter: Converter<From, To>;
  readonly #to: TargetDialect;
  readonly #framing: "sse" | "jsonl";

  /** Creates a transform with a converter of these options. */
  constructor(options: ConvertOptions<From, To>) {
    extendTransform(ConvertStream);
    const converter = new Converter<From, To>(options);
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
  get report(): Converter<From, To>["report"] {
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

/** Transforms a stream in any dialect to AG-UI events, which need the option `thread_id`. */
export class AgUiStream<From extends SourceDialect = SourceDialect> extends ConvertStream<From, "ag-ui"> {
  /** Creates a transform; the dialect of the source is detected if `from` is absent. */
  constructor(options: AdapterStreamOptions<From, "ag-ui">) {
    super({ ...options, to: "ag-ui" });
  }
}

/** Transforms a stream in any dialect to a UI message stream of the Vercel AI SDK. */
export class UiMessageStream<From extends SourceDialect = SourceDialect> extends ConvertStream<From, "ui-message-stream"> {
  /** Creates a transform; the dialect of the source is detected if `from` is absent. */
  constructor(options: AdapterStreamOptions<From, "ui-message-stream"> = {} as AdapterStreamOptions<From, "ui-message-stream">) {
    super({ ...options, to: "ui-message-stream" });
  }
}

/** Transforms a stream in any dialect to Open Responses events. */
export class OpenResponsesStream<From extends SourceDialect = SourceDialect> extends ConvertStream<From, "open-responses"> {
  /** Creates a transform; the dialect of the source is detected if `from` is absent. */
  constructor(options: AdapterStreamOptions<From, "open-responses"> = {} as AdapterStreamOptions<From, "open-responses">) {
    super({ ...options, to: "open-responses" });
  }
}

/** Converts a whole source and returns the bytes and the report. */
export async function convert<From extends SourceDialect = SourceDialect, To extends TargetDialect = TargetDialect>(
  source: ByteSource,
  options: ConvertOptions<From, To>,
): Promise<{ bytes: Uint8Array; report: Converter<From, To>["report"] }> {
  const converter = new Converter<From, To>(options);
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
