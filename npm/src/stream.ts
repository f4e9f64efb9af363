import { Misuse, ResponseFailed } from "./error.js";
import { Reader, type Suspended } from "./reader.js";
import { type PartialSource, PartialStream, type StandardSchema, type TextPlace } from "./schema.js";
import { type ByteSource, chunkOf, type ChunkResult, Chunks } from "./source.js";
import { extendTransform, LazyTransform } from "./streams.js";
import type { Finding, Outcome, ReaderOptions, ResponseObject, StreamEvent } from "./types.js";

/** Options of `readEvents` and `readBatches`: those of a reader, or a reader that exists already. */
export type ReadOptions = ResumeOptions & ((ReaderOptions & { reader?: undefined }) | { reader: Reader });

/** Options of `resume`. */
export interface ResumeOptions {
  /** Aborting it cancels the source and makes the iteration throw the reason. The response so far stays readable. */
  signal?: AbortSignal | undefined;
}

/**
 * Reads the events of a source: a `fetch` response or a promise of one, a `ReadableStream`, or any (async) iterable of bytes.
 *
 * The result has the response so far, the findings and, at the end, the outcome. Leaving the loop cancels the source. An
 * error of the source is thrown unchanged; the response so far stays readable. With `reader`, such as a restored one, the
 * events of the source continue what that reader has read.
 */
export function readEvents(source: ByteSource, options: ReadOptions = {}): EventIterator {
  return new EventIterator(source, options);
}

/**
 * Reads the events of a source like `readEvents`, but returns all events that a chunk completes at once, as an array.
 *
 * This costs one `await` per chunk instead of one per event. `response` is that after the last event of the array.
 */
export function readBatches(source: ByteSource, options: ReadOptions = {}): BatchIterator {
  return new BatchIterator(source, options);
}

/**
 * What `readEvents` and `readBatches` return: an iterator over a source, with everything that its reader has.
 *
 * @hideconstructor
 */
export abstract class SourceIterator<T> implements AsyncIterableIterator<T> {
  /** The reader of the iterator, for everything that the iterator does not offer. */
  readonly reader: Reader;
  #chunks: Chunks;
  #signal: AbortSignal | undefined;
  /** True while a chunk may have more results. */
  #open = false;
  /** True after the last chunk. */
  #ended = false;
  #done = false;
  /** The state before the end was applied to a response that has no terminal event; null if there is nothing to resume. */
  #unfinished: Suspended | null = null;
  /** The number of calls of `next` that wait. */
  #waiting = 0;
  /** The newest call of `next` that waits. */
  #last: Promise<unknown> | null = null;

  /** @internal */
  constructor(source: ByteSource, { signal, reader, ...options }: ReadOptions) {
    makeDisposable(SourceIterator.prototype);
    this.reader = reader ?? new Reader(options as ReaderOptions);
    this.#chunks = new Chunks(source, signal);
    this.#signal = signal;
  }

  /** The response after the newest event. Unchanged parts are the same objects as at the last access. */
  get response(): ResponseObject | null {
    return this.reader.response;
  }

  /** The texts of all messages so far, joined. */
  get outputText(): string {
    return this.reader.outputText;
  }

  /** The findings so far. */
  get findings(): readonly Finding[] {
    return this.reader.findings;
  }

  /**
   * How the stream ended; null while it is being read.
   *
   * A stream that ends without a terminal event is `truncated`, whatever ended it: the end of the source, an error of the source, an
   * aborted signal, or a `break` out of the loop.
   */
  get outcome(): Outcome | null {
    return this.reader.outcome;
  }

  /** Returns the iterator itself, so that `for await` continues where the last loop ended. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next result. */
  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#waiting === 0) {
      // A result of the current chunk needs no waiting.
      if (this.#open && !this.#chunks.aborted) {
        try {
          const value = this.take();
          if (value !== undefined) return Promise.resolve({ value, done: false });
        } catch {
          // `#advance` finds the same error in the reader.
        }
        this.#open = false;
      }
      this.#waiting = 1;
      return (this.#last = this.#advance());
    }
    // Concurrent calls get their results in order.
    const after = (): Promise<IteratorResult<T, undefined>> => this.#advance();
    this.#waiting++;
    return (this.#last = this.#last!.then(after, after) as Promise<IteratorResult<T, undefined>>) as Promise<IteratorResult<T, undefined>>;
  }

  /** Ends the iteration and cancels the source. */
  async return(): Promise<IteratorResult<T, undefined>> {
    if (!this.#done) {
      this.#stop();
      await this.#chunks.cancel();
    }
    return { value: undefined, done: true };
  }

  /**
   * Continues a stream that was truncated with the bytes of a new connection, such as
   * `fetch(url + "?starting_after=" + events.reader.lastSequenceNumber)`. Returns the iterator for another loop.
   *
   * Events that were read before are dropped with a finding. `signal` is that of `readEvents` by default. Throws `Misuse` while the
   * iteration goes on, and after a terminal event.
   */
  resume(source: ByteSource, options: ResumeOptions = {}): this {
    if (!this.#done) throw new Misuse("the iteration goes on; resume after its end, an error or a break", "misuse.intent", 0);
    if (this.#unfinished === null) throw new Misuse("the stream has ended with a terminal event; there is nothing to resume", "misuse.after_finish", 0);
    this.reader.resumeFrom(this.#unfinished);
    if ("signal" in options) this.#signal = options.signal;
    this.#chunks = new Chunks(source, this.#signal);
    this.#unfinished = null;
    this.#open = this.#ended = this.#done = false;
    return this;
  }

  /** Reads to the end and returns the response, also that of a stream that failed; see `throwIfFailed`. */
  async finalResponse(): Promise<ResponseObject | null> {
    while (!(await this.next()).done);
    return this.response;
  }

  /**
   * Throws `ResponseFailed` if the stream failed, was cancelled or is truncated. Returns the iterator, so that
   * `(await events.finalResponse(), events.throwIfFailed().response)` is the response of a stream that ended well.
   */
  throwIfFailed(): this {
    const { outcome } = this;
    if (outcome === null) throw new Misuse("the stream has not ended; read it to its end first", "misuse.intent", 0);
    if (outcome.outcome !== "completed" && outcome.outcome !== "incomplete") throw new ResponseFailed(outcome);
    return this;
  }

  /**
   * Reads the stream as the structured output of a schema: a Standard Schema, such as those of zod, valibot and arktype.
   *
   * The result iterates over the value while it grows, and `value()` returns the validated value of the whole text.
   */
  parsePartial<S extends StandardSchema>(schema: S, place: TextPlace = {}): PartialStream<S> {
    return new PartialStream(schema, this as unknown as PartialSource, place);
  }

  /**
   * Stores a chunk, from which `take` returns results.
   *
   * @internal
   */
  abstract put(chunk: Uint8Array): void;

  /**
   * Returns the next result of the stored chunk; undefined if there is none.
   *
   * @internal
   */
  abstract take(): T | undefined;

  /**
   * Stores the events that the end of the input completes.
   *
   * @internal
   */
  abstract putEnd(events: StreamEvent[]): void;

  /** Waits for the next result. Decrements the number of waiting calls when it settles. */
  #advance(): Promise<IteratorResult<T, undefined>> {
    try {
      const result = this.#ready();
      if (result !== undefined) {
        this.#waiting--;
        return Promise.resolve(result);
      }
    } catch (error) {
      return this.#fail(error);
    }
    return this.#chunks.read().then(this.#onChunk, this.#onError);
  }

  /** The result that needs no further chunk; undefined if there is none. */
  #ready(): IteratorResult<T, undefined> | undefined {
    if (this.#done) return { value: undefined, done: true };
    if (this.#chunks.aborted) throw this.#chunks.reason;
    if (this.#open) {
      const value = this.take();
      if (value !== undefined) return { value, done: false };
      this.#open = false;
    }
    // All events before the error were returned.
    if (this.reader.error !== null) throw this.reader.error;
    if (!this.#ended) return undefined;
    this.#stop();
    if (this.reader.error !== null) throw this.reader.error;
    return { value: undefined, done: true };
  }

  readonly #onChunk = (result: ChunkResult): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>> => {
    try {
      if (!this.#done && !this.#chunks.aborted) {
        if (this.#chunks.head !== null) this.#noteHead();
        if (result.done) {
          this.#chunks.end();
          this.#ended = true;
          this.putEnd(this.reader.end());
          this.#open = true;
        } else {
          const chunk = chunkOf(result);
          if (chunk.length > 0) {
            this.put(chunk);
            this.#open = true;
            const value = this.take();
            if (value !== undefined) {
              this.#waiting--;
              return { value, done: false };
            }
            this.#open = false;
          }
        }
      }
    } catch (error) {
      return this.#fail(error);
    }
    return this.#advance();
  };

  readonly #onError = (error: unknown): Promise<IteratorResult<T, undefined>> => this.#fail(error);

  async #fail(error: unknown): Promise<never> {
    this.#stop();
    await this.#chunks.cancel(error);
    this.#waiting--;
    throw error;
  }

  /** Ends reading. A response without a terminal event is truncated, and `resume` can continue it. */
  #stop(): void {
    if (this.#done) return;
    this.#done = true;
    this.#open = false;
    const { reader } = this;
    try {
      if (reader.outcome === null && reader.error === null) {
        this.#unfinished = reader.suspend();
        // The response stays that after the newest event: events of the chunk that the program did not take do not count.
        if (!this.#ended) reader.reconnect();
      }
      reader.finish();
    } catch {
      // The error is in `reader.error`.
    }
  }

  #noteHead(): void {
    const head = this.#chunks.head!;
    this.#chunks.head = null;
    this.reader.noteHeaders(head.headers, head.status);
  }
}

/**
 * Iterates over the events of a source; the result of `readEvents`.
 *
 * @hideconstructor
 */
export class EventIterator extends SourceIterator<StreamEvent> {
  /** @internal */
  static readonly name: string = "EventIterator";
  #last: StreamEvent[] = [];

  /** @internal */
  put(chunk: Uint8Array): void {
    this.reader.put(chunk);
  }

  /** @internal */
  take(): StreamEvent | undefined {
    return this.reader.take() ?? (this.#last.length > 0 ? this.#last.shift() : undefined);
  }

  /** @internal */
  putEnd(events: StreamEvent[]): void {
    this.#last = events;
  }
}

/**
 * Iterates over the events of a source, chunk by chunk; the result of `readBatches`.
 *
 * @hideconstructor
 */
export class BatchIterator extends SourceIterator<StreamEvent[]> {
  /** @internal */
  static readonly name: string = "BatchIterator";
  #events: StreamEvent[] = [];

  /** @internal */
  put(chunk: Uint8Array): void {
    this.#events = this.reader.feed(chunk);
  }

  /** @internal */
  take(): StreamEvent[] | undefined {
    const events = this.#events;
    if (events.length === 0) return undefined;
    this.#events = [];
    return events;
  }

  /** @internal */
  putEnd(events: StreamEvent[]): void {
    this.#events = events;
  }
}

/**
 * Adds `await using` and `using` to a class where the engine has them, at the first instance: an assignment at import would keep the class
 * in every bundle.
 */
function makeDisposable(prototype: object): void {
  if (Symbol.asyncDispose === undefined || Object.hasOwn(prototype, Symbol.asyncDispose)) return;
  const methods: [symbol, (this: SourceIterator<unknown>) => unknown][] = [
    [
      Symbol.asyncDispose,
      async function () {
        await this.return();
        this.reader.free();
      },
    ],
    [
      Symbol.dispose,
      function () {
        void this.return();
        this.reader.free();
      },
    ],
  ];
  for (const [name, value] of methods) if (name !== undefined) Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
}

/** How many chunks and events a `ResponseEventStream` reads ahead of its consumer. */
const CHUNKS_AHEAD = 8;
const EVENTS_AHEAD = 64;

/** A transform from bytes to events: `response.body.pipeThrough(new ResponseEventStream())`. */
export class ResponseEventStream extends LazyTransform<Uint8Array, StreamEvent> {
  /** @internal */
  static readonly name: string = "ResponseEventStream";
  /** The reader of the stream, with the response so far. */
  readonly reader: Reader;

  /** Creates a transform with a reader of these options. */
  constructor(options: ReaderOptions = {}) {
    extendTransform(ResponseEventStream);
    const reader = new Reader(options);
    const pass = (events: StreamEvent[], out: TransformStreamDefaultController<StreamEvent>): void => {
      for (const event of events) out.enqueue(event);
      if (reader.error !== null) throw reader.error;
    };
    super(
      {
        transform: (chunk, out) => pass(reader.feed(chunk), out),
        flush: (out) => {
          pass(reader.end(), out);
          reader.finish();
        },
      },
      // With the default of 0 for events, the streams wait for each other at every chunk, which takes longer than reading it.
      { highWaterMark: CHUNKS_AHEAD },
      { highWaterMark: EVENTS_AHEAD },
    );
    this.reader = reader;
  }

  /** The response after the newest event. Unchanged parts are the same objects as at the last access. */
  get response(): ResponseObject | null {
    return this.reader.response;
  }

  /** The findings so far. */
  get findings(): readonly Finding[] {
    return this.reader.findings;
  }

  /** How the stream ended; null before the end. */
  get outcome(): Outcome | null {
    return this.reader.outcome;
  }
}
