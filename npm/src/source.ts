/* All kinds of byte sources as one iterator that can be cancelled once. */

/** A source of bytes: a `fetch` response, a stream, an (async) iterable of bytes, or a promise of one of these. */
export type ByteSource = Bytes | PromiseLike<Bytes>;

type Bytes = { readonly body: ReadableStream<Uint8Array> | null; readonly headers?: unknown; readonly status?: number } | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

type AnyIterator = AsyncIterator<Uint8Array> | Iterator<Uint8Array>;

interface Head {
  status: number;
  headers: Iterable<readonly [string, string]>;
}

/**
 * Iterates over the chunks of a source.
 *
 * @internal
 */
export class Chunks {
  /** Status and headers of a `fetch` response, after it has arrived. */
  head: Head | null = null;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal | undefined;
  #next: (() => Promise<IteratorResult<Uint8Array, unknown>>) | null = null;
  #stop: ((reason: unknown) => unknown) | null = null;
  #ended = false;

  constructor(source: ByteSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  /** True after the signal was aborted. */
  get aborted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Throws the signal's reason if the signal was aborted. */
  check(): void {
    if (this.aborted) throw this.#signal!.reason;
  }

  /** Returns the next chunk that is not empty; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#next === null) this.#open(await this.#abortable(Promise.resolve(this.#source)));
    for (;;) {
      const { value, done } = await this.#abortable(this.#next!());
      if (done) {
        this.#ended = true;
        return undefined;
      }
      if (!(value instanceof Uint8Array)) throw new TypeError(`expected chunks that are a Uint8Array, found ${typeof value}`);
      if (value.length > 0) return value;
    }
  }

  /** Cancels the source, unless it has ended. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // Errors of cancellation are ignored: the reader has already reported the reason.
    if (this.#next === null) {
      const source: unknown = await Promise.resolve(this.#source).catch(() => null);
      const body = (source as { body?: unknown } | null)?.body ?? source;
      if (body instanceof ReadableStream && !body.locked) await body.cancel(reason).catch(() => undefined);
      return;
    }
    try {
      await this.#stop?.(reason);
    } catch {
      // As above.
    }
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
      this.#next = () => reader.read() as Promise<IteratorResult<Uint8Array, unknown>>;
      this.#stop = (reason) => reader.cancel(reason);
      return;
    }
    const iterable = body as Partial<AsyncIterable<Uint8Array> & Iterable<Uint8Array>> | null;
    const make = (iterable?.[Symbol.asyncIterator] ?? iterable?.[Symbol.iterator]) as (() => AnyIterator) | undefined;
    if (typeof body === "string" || body instanceof Uint8Array || typeof make !== "function") {
      throw new TypeError("expected a Response, a ReadableStream or an iterable of Uint8Array");
    }
    const iterator = make.call(iterable);
    this.#next = async () => iterator.next();
    this.#stop = () => iterator.return?.();
  }

  /** Waits for a promise; rejects earlier if the signal is aborted. */
  #abortable<T>(promise: Promise<T>): Promise<T> {
    const signal = this.#signal;
    if (signal === undefined) return promise;
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }
}
