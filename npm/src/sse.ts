import * as core from "../gen/core.js";
import { call, Misuse } from "./error.js";
import type { Limits } from "./types.js";

/** One dispatched frame of an event stream. */
export interface Frame {
  /** The event name; empty if the frame names none. */
  readonly event: string;
  /** The payload: all data lines, joined with a line feed. */
  readonly data: string;
  /** The current last event id; empty if there is none. */
  readonly id: string;
  /** The current reconnection time in milliseconds, or null. */
  readonly retry: number | null;
  /** Offset of the frame's first byte from the start of the stream. */
  readonly offset: number;
}

/** Decodes an event stream to frames, from chunks that are split anywhere. */
export class SseDecoder {
  /** @internal */
  static readonly name: string = "SseDecoder";
  #core: core.SseDecoder | null;
  readonly #limits: string;

  /** Creates a decoder at the start of a stream. */
  constructor(limits: Limits = {}) {
    this.#limits = JSON.stringify(limits);
    this.#core = call(() => new core.SseDecoder(this.#limits));
  }

  /**
   * Takes a chunk and returns the frames that it completes.
   *
   * Throws `LimitExceeded` past a limit, and again on every call until `reset`. Frames before the error are returned first;
   * the next call throws.
   */
  feed(chunk: Uint8Array): Frame[] {
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError(`expected a Uint8Array, found ${chunk === null ? "null" : typeof chunk}`);
    }
    const decoder = this.#live();
    const rows = JSON.parse(call(() => decoder.feed(chunk))) as [string, string, string, number | null, number][];
    return rows.map(([event, data, id, retry, offset]) => ({ event, data, id, retry, offset }));
  }

  /** Resets the decoder to the start of a stream: no pending data, no last event id, offset 0. */
  reset(): void {
    this.#live().free();
    this.#core = call(() => new core.SseDecoder(this.#limits));
  }

  /** Frees the memory in the module. Garbage collection also does it. */
  free(): void {
    this.#core?.free();
    this.#core = null;
  }

  #live(): core.SseDecoder {
    if (!this.#core) throw new Misuse("the decoder was freed", "misuse.after_finish", 0);
    return this.#core;
  }
}
