import * as core from "../gen/full.js";
import { call, DeltafoldError } from "./error.js";
import { extendTransform, LaterTransform } from "./streams.js";
import { type ByteSource, Chunks } from "./source.js";
import type { Limits } from "./types.js";

/** The dialects that can be read. */
export type SourceDialect = "open-responses" | "anthropic" | "chat-completions" | "gemini" | "blocks" | "thread-events" | "ollama" | "mistral" | "cohere" | "bedrock";

/** The dialects that can be written. */
export type TargetDialect = "open-responses" | "anthropic" | "chat-completions" | "ag-ui" | "ui-message-stream";

/** What to convert, and how. */
export interface ConvertOptions {
  /** The dialect that is read; detected if it is left out. */
  from?: SourceDialect;
  to: TargetDialect;
  /** Options of both adapters by their wire names, such as `response_id`, `model`, `now`. */
  options?: Readonly<Record<string, unknown>>;
  /** How the target's messages are laid out; `sse` by default. */
  framing?: "sse" | "jsonl";
  limits?: Limits;
}

/** Something that a conversion lost, repaired or assumed. */
export interface Loss {
  readonly code: string;
  readonly kind: "lost" | "repaired" | "assumed";
  readonly event_index: number;
  readonly offset: number;
  readonly detail?: string;
}

/** Converts a stream from one dialect to another, in push form. */
export class Converter {
  readonly #core: core.Converter;

  constructor(options: ConvertOptions) {
    this.#core = call(() => new core.Converter(JSON.stringify(options)));
  }

  /** Takes bytes of the source, cut anywhere, and returns those of the target that are ready. */
  feed(chunk: Uint8Array): Uint8Array {
    return call(() => this.#core.feed(chunk));
  }

  /** Says that the input has ended, and returns the last bytes. */
  finish(): Uint8Array {
    return call(() => this.#core.finish());
  }

  /** Ends the response from outside, and returns the last bytes. */
  cancel(): Uint8Array {
    return call(() => this.#core.cancel());
  }

  /** Takes bytes that were ready before an error. */
  take(): Uint8Array {
    return this.#core.take();
  }

  /** The dialect that is read; null while it is not known. */
  get from(): SourceDialect | null {
    return (this.#core.from() || null) as SourceDialect | null;
  }

  /** What was lost, repaired or assumed, and how much was lost in all. */
  get report(): { from: string; to: string; findings: readonly Loss[] } & Readonly<Record<string, unknown>> {
    return JSON.parse(this.#core.report()) as { from: string; to: string; findings: Loss[] };
  }

  /** How many losses there were. */
  get lost(): number {
    return this.#core.lost();
  }

  /** Gives the memory back. */
  free(): void {
    this.#core.free();
  }
}

/** A transform from one dialect to another: `body.pipeThrough(new ConvertStream({ to: "ag-ui" }))`. */
export class ConvertStream extends LaterTransform<Uint8Array, Uint8Array> {
  /** The converter behind it, with its report. */
  readonly converter: Converter;

  constructor(options: ConvertOptions) {
    extendTransform(ConvertStream);
    const converter = new Converter(options);
    const pass = (run: () => Uint8Array, out: TransformStreamDefaultController<Uint8Array>): void => {
      try {
        const bytes = run();
        if (bytes.length > 0) out.enqueue(bytes);
      } catch (error) {
        // What was written before a limit was passed is good.
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
  }

  /** What was lost, repaired or assumed so far. */
  get report(): Converter["report"] {
    return this.converter.report;
  }
}

/** AG-UI events of a stream in any dialect. */
export class AgUiStream extends ConvertStream {
  constructor(options: Omit<ConvertOptions, "to"> = {}) {
    super({ ...options, to: "ag-ui" });
  }
}

/** The UI message stream of the Vercel AI SDK, of a stream in any dialect. */
export class UiMessageStream extends ConvertStream {
  constructor(options: Omit<ConvertOptions, "to"> = {}) {
    super({ ...options, to: "ui-message-stream" });
  }
}

/** Open Responses events of a stream in any dialect. */
export class OpenResponsesStream extends ConvertStream {
  constructor(options: Omit<ConvertOptions, "to"> = {}) {
    super({ ...options, to: "open-responses" });
  }
}

/** Converts a whole source, and returns its bytes and the report. */
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

/** The dialect that a stream starts like; null if none is known. */
export function detectDialect(start: Uint8Array): SourceDialect | null {
  return (call(() => core.detect_dialect(start)) || null) as SourceDialect | null;
}

/** Every dialect: whether it can be read, and whether it can be written. */
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
