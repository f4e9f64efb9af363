/* All kinds of byte sources as one sequence of chunks that can be cancelled once. */

/** A source of bytes: a `fetch` response, a stream, an (async) iterable of bytes, or a promise of one of these. */
export type ByteSource = Bytes | PromiseLike<Bytes>;

type Bytes = { readonly body: ReadableStream<Uint8Array> | null; readonly headers?: unknown; readonly status?: number } | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

type AnyIterator = AsyncIterator<Uint8Array> | Iterator<Uint8Array>;

/** What a read of a source gives. */
export type ChunkResult = { done?: boolean | undefined; value?: Uint8Array | undefined };

interface Head {
  status: number;
  headers: Iterable<readonly [string, string]>;
}

/**
 * The chunks of a source.
 *
 * An `AbortSignal` has one listener for the whole source. When the signal is aborted, the source is cancelled and a pending read is
 * rejected; `aborted` tells the caller that chunks which were read before count no more.
 *
 * @internal
 */
export class Chunks {
  /** Status and headers of a `fetch` response, after it has arrived. */
  head: Head | null = null;
  /** True after the signal was aborted. */
  aborted = false;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal | undefined;
  #next: (() => Promise<ChunkResult>) | null = null;
  #stop: ((reason: unknown) => unknown) | null = null;
  #ended = false;
  /** Rejects the pending read when the signal is aborted; null if no read is pending or its source ends it. */
  #reject: ((reason: unknown) => void) | null = null;
  readonly #abort = (): void => {
    this.aborted = true;
    const { reason } = this.#signal!;
    this.#reject?.(reason);
    void this.cancel(reason);
  };

  constructor(source: ByteSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
    if (signal === undefined) return;
    if (signal.aborted) this.aborted = true;
    else signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** Why the signal was aborted. */
  get reason(): unknown {
    return this.#signal?.reason;
  }

  /** Reads the next chunk, which can be empty. Rejects if the source fails. */
  read(): Promise<ChunkResult> {
    return this.#next === null ? this.#openAndRead() : this.#next();
  }

  /** Returns the next chunk that is not empty; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const result = await this.read();
      if (this.aborted) throw this.reason;
      if (result.done) {
        this.end();
        return undefined;
      }
      const chunk = chunkOf(result);
      if (chunk.length > 0) return chunk;
    }
  }

  /** The source has ended: there is nothing to cancel. */
  end(): void {
    this.#ended = true;
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  /** Cancels the source, unless it has ended. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.#ended) return;
    this.end();
    // Errors of cancellation are ignored: the reader has already reported the reason.
    if (this.#next === null) {
      const source: unknown = await Promise.resolve(this.#source).catch(() => null);
      const body = (source as { body?: unknown } | null)?.body ?? source;
      if (typeof ReadableStream === "function" && body instanceof ReadableStream && !body.locked) await body.cancel(reason).catch(() => undefined);
      return;
    }
    try {
      await this.#stop?.(reason);
    } catch {
      // As above.
    }
  }

  async #openAndRead(): Promise<ChunkResult> {
    const source = await this.#abortable(Promise.resolve(this.#source));
    this.#open(source);
    return this.#next!();
  }

  #open(source: Bytes): void {
    let body: unknown = source;
    if (typeof source === "object" && source !== null && "body" in source) {
      const { status = 0, headers } = source;
      if (headers !== undefined && typeof (headers as Iterable<unknown>)[Symbol.iterator] === "function") {
        this.head = { status, headers: headers as Head["headers"] };
      }
      body = source.body ?? [];
    }
    if (typeof ReadableStream === "function" && body instanceof ReadableStream) {
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      // Cancelling a stream ends its pending read, so an abort needs no second promise.
      this.#next = () => reader.read();
      this.#stop = (reason) => reader.cancel(reason);
      return;
    }
    const iterable = body as Partial<AsyncIterable<Uint8Array> & Iterable<Uint8Array>> | null;
    const make = (iterable?.[Symbol.asyncIterator] ?? iterable?.[Symbol.iterator]) as (() => AnyIterator) | undefined;
    if (typeof body === "string" || body instanceof Uint8Array || typeof make !== "function") {
      throw new TypeError("expected a Response, a ReadableStream or an iterable of Uint8Array");
    }
    const iterator = make.call(iterable);
    const next = async (): Promise<ChunkResult> => iterator.next();
    this.#next = this.#signal === undefined ? next : () => this.#abortable(next());
    this.#stop = () => iterator.return?.();
  }

  /** Waits for a promise; rejects earlier if the signal is aborted. */
  #abortable<T>(promise: Promise<T>): Promise<T> {
    if (this.#signal === undefined) return promise;
    return new Promise((resolve, reject) => {
      if (this.aborted) return reject(this.reason as Error);
      this.#reject = reject;
      promise.then(resolve, reject);
    });
  }
}

/**
 * The chunk of a read that is not the end.
 *
 * @internal
 */
export function chunkOf({ value }: ChunkResult): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError(`expected chunks that are a Uint8Array, found ${value === null ? "null" : typeof value}`);
  return value;
}
