import { Reader } from "./reader.js";
import { type ByteSource, Chunks } from "./source.js";
import { extendTransform, LazyTransform } from "./streams.js";
import type { Finding, Outcome, ReaderOptions, ResponseObject, StreamEvent } from "./types.js";

/** Options of `readEvents`. */
export interface ReadOptions extends ReaderOptions {
  /** Aborting it cancels the source and makes the iteration throw the reason. The response so far stays readable. */
  signal?: AbortSignal;
}

/**
 * Reads the events of a source: a `fetch` response or a promise of one, a `ReadableStream`, or any (async) iterable of bytes.
 *
 * The result has the response so far, the findings and, at the end, the outcome. Leaving the loop cancels the source. An
 * error of the source is thrown unchanged; the response so far stays readable.
 */
export function readEvents(source: ByteSource, options: ReadOptions = {}): EventIterator {
  return new EventIterator(source, options);
}

/** Iterates over the events of a source; the result of `readEvents`. */
export class EventIterator implements AsyncIterableIterator<StreamEvent> {
  /** The reader of the iterator, for everything that the iterator does not offer. */
  readonly reader: Reader;
  readonly #chunks: Chunks;
  #events: StreamEvent[] = [];
  /** True while a chunk is being read. */
  #open = false;
  #ended = false;
  #done = false;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(source: ByteSource, { signal, ...options }: ReadOptions) {
    this.reader = new Reader(options);
    this.#chunks = new Chunks(source, signal);
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

  /** How the stream ended; null before the end. */
  get outcome(): Outcome | null {
    return this.reader.outcome;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next event. */
  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    // An event of the current chunk needs no waiting, unless an earlier call still waits.
    if (this.#open && this.#waiting === 0 && !this.#done && !this.#chunks.aborted) {
      try {
        const value = this.reader.take();
        if (value !== undefined) return Promise.resolve({ value, done: false });
        this.#open = false;
      } catch {
        // `#pull` throws the same error again.
        this.#open = false;
      }
    }
    this.#waiting++;
    // Concurrent calls get their events in order.
    const next = this.#last.then(() => this.#pull());
    const after = (): void => {
      this.#waiting--;
    };
    this.#last = next.then(after, after);
    return next;
  }

  /** Ends the iteration and cancels the source. */
  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (!this.#done) {
      this.#done = true;
      this.#events = [];
      await this.#chunks.cancel();
      try {
        this.reader.finish();
      } catch {
        // Leaving a loop does not throw; the error is in `reader.error`.
      }
    }
    return { value: undefined, done: true };
  }

  /** Reads to the end and returns the response. */
  async finalResponse(): Promise<ResponseObject | null> {
    while (!(await this.next()).done);
    return this.response;
  }

  async #pull(): Promise<IteratorResult<StreamEvent, undefined>> {
    try {
      for (;;) {
        this.#chunks.check();
        if (this.#done) return { value: undefined, done: true };
        if (this.#open) {
          const value = this.reader.take();
          if (value !== undefined) return { value, done: false };
          this.#open = false;
        }
        const held = this.#events.shift();
        if (held !== undefined) return { value: held, done: false };
        // All events before the error were returned.
        if (this.reader.error !== null) throw this.reader.error;
        if (this.#ended) {
          this.#done = true;
          this.reader.finish();
          return { value: undefined, done: true };
        }
        const chunk = await this.#chunks.next();
        if (this.#done) return { value: undefined, done: true };
        if (chunk === undefined) {
          this.#ended = true;
          this.#events = this.reader.end();
        } else {
          this.#note();
          this.reader.put(chunk);
          this.#open = true;
        }
      }
    } catch (error) {
      this.#done = true;
      this.#events = [];
      await this.#chunks.cancel(error);
      throw error;
    }
  }

  #note(): void {
    const head = this.#chunks.head;
    if (head === null) return;
    this.#chunks.head = null;
    this.reader.noteHeaders(head.headers, head.status);
  }
}

for (const symbol of [Symbol.asyncDispose, Symbol.dispose] as (symbol | undefined)[]) {
  if (symbol === undefined) continue;
  const dispose =
    symbol === Symbol.dispose
      ? function (this: EventIterator): void {
          void this.return();
          this.reader.free();
        }
      : async function (this: EventIterator): Promise<void> {
          await this.return();
          this.reader.free();
        };
  Object.defineProperty(EventIterator.prototype, symbol, { value: dispose, configurable: true, writable: true });
}

/** A transform from bytes to events: `response.body.pipeThrough(new ResponseEventStream())`. */
export class ResponseEventStream extends LazyTransform<Uint8Array, StreamEvent> {
  /** The reader of the stream, with the response so far. */
  readonly reader: Reader;

  constructor(options: ReaderOptions = {}) {
    extendTransform(ResponseEventStream);
    const reader = new Reader(options);
    const pass = (events: StreamEvent[], out: TransformStreamDefaultController<StreamEvent>): void => {
      for (const event of events) out.enqueue(event);
      if (reader.error !== null) throw reader.error;
    };
    super({
      transform: (chunk, out) => pass(reader.feed(chunk), out),
      flush: (out) => {
        pass(reader.end(), out);
        reader.finish();
      },
    });
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
