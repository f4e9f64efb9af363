import * as core from "../gen/core.js";
import { call, DeltafoldError, errorOf, Fatal, Misuse, thrownAs } from "./error.js";
import { eventsOf } from "./event.js";
import { feed, put, wordView } from "./memory.js";
import { FLAGS, FULL, Page, STOPPED, WIDE } from "./page.js";
import { Snapshot } from "./snapshot.js";
import type { Finding, FindingCounts, Outcome, RateLimits, ReaderOptions, ResponseObject, StreamEvent } from "./types.js";

/** Chunks are handed over in pieces of this size, so that a large one does not need as much room twice. */
const PIECE = 1 << 16;

/** What the module returns when reading has ended, and no event came before that; -1 is for a call that it refuses. */
const ENDED = -2;

/** Every event that there is. */
const ALL = 0xffffffff;

/** What a trap has stopped in the middle of a call. It is kept for ever, since freeing it could stop again. */
const dead: core.Reader[] = [];

/**
 * Reads a stream in push form: bytes in, cut anywhere; events, findings and the response out.
 *
 * Nothing that a server sends throws: it makes a finding, and reading goes on. Only a limit, misuse, or `strict` ends it.
 * Events that came before the error are returned first; `error` is set then, and the next call throws it.
 */
export class Reader {
  #core: core.Reader | null;
  readonly #options: string;
  /** Where the module has its reader. */
  #at = 0;
  #head = 0;
  #page!: Page;
  #room = 0;
  #roomAt = 0;
  /** What is left of a chunk that is read event by event; null if none is. */
  #rest: Uint8Array | null = null;
  /** Whether the module may have more events of what it was handed. */
  #within = false;
  #fatal: Fatal | null = null;
  #items: string[] = [];
  #snapshot = new Snapshot();
  #findings: Finding[] = [];
  #error: DeltafoldError | null = null;

  constructor(options: ReaderOptions = {}) {
    this.#options = JSON.stringify(options);
    this.#core = made ?? call(() => new core.Reader(this.#options));
    this.#begin(this.#core);
  }

  /** Takes up a state that `save` returned; events that were read before are dropped with a finding. */
  static restore(saved: Uint8Array, options: ReaderOptions = {}): Reader {
    return around(call(() => core.Reader.restore(saved, JSON.stringify(options))), options);
  }

  /** Takes bytes of an event stream, cut anywhere, and returns the events that they complete. */
  feed(chunk: Uint8Array): StreamEvent[] {
    if (!(chunk instanceof Uint8Array)) throw new TypeError(`expected a Uint8Array, found ${nameOf(chunk)}`);
    if (this.#rest !== null) throw waiting();
    if (chunk.length <= PIECE) return this.#piece(chunk, ALL);
    const events: StreamEvent[] = [];
    for (let at = 0; at < chunk.length && this.#error === null; at += PIECE) {
      for (const event of this.#piece(chunk.subarray(at, at + PIECE), ALL)) events.push(event);
    }
    return events;
  }

  /**
   * Takes bytes that `take` reads event by event, so that the response is never ahead of the event that was given.
   *
   * @internal
   */
  put(chunk: Uint8Array): void {
    this.#rest = chunk;
  }

  /**
   * The next event of the bytes that were put; undefined if they have no more.
   *
   * @internal
   */
  take(): StreamEvent | undefined {
    const begun = this.#rest !== null;
    // In what was handed over already there may be another; every chunk is handed over in full before the next is put.
    if (this.#within && this.#error === null) {
      const event = this.#batch(this.#call((reader) => reader.more(1) | 0))[0];
      if (event !== undefined) return event;
    }
    this.#within = false;
    while (begun && this.#rest !== null && this.#error === null) {
      const piece = this.#rest.subarray(0, PIECE);
      this.#rest = this.#rest.length > PIECE ? this.#rest.subarray(PIECE) : EMPTY;
      if (piece.length === 0) break;
      const event = this.#piece(piece, 1)[0];
      this.#within = true;
      if (event !== undefined) return event;
    }
    this.#rest = null;
    return undefined;
  }

  /** Takes one message that is JSON already: a WebSocket message, a line of a log. */
  feedJson(message: string): StreamEvent[] {
    if (typeof message !== "string") throw new TypeError(`expected a string, found ${nameOf(message)}`);
    if (this.#rest !== null) throw waiting();
    return this.#batch(this.#call((reader) => reader.feed_json(message) | 0));
  }

  /** Says that no more comes. Returns the event that a missing blank line held back, if there is one. */
  end(): StreamEvent[] {
    if (this.#rest !== null) throw waiting();
    return this.#batch(this.#call((reader) => reader.end() | 0));
  }

  /** Says that no more comes, drops events that were not asked for, and returns how the stream ended. May be called again. */
  finish(): Outcome {
    const outcome = JSON.parse(this.#ask(core.Ask.Finish)) as Outcome;
    // Events that are kept do not keep the whole response in the module.
    this.#turn();
    return outcome;
  }

  /** The response so far, as plain objects; what did not change since the last look is the same object. Null before any. */
  get response(): ResponseObject | null {
    this.#snapshot.apply(this.#ask(core.Ask.Changes));
    return this.#snapshot.response;
  }

  /** The response so far as JSON text, with numbers as they were written. */
  get responseJson(): string {
    return this.#ask(core.Ask.Response);
  }

  /** The texts of all messages so far, joined. */
  get outputText(): string {
    return this.#ask(core.Ask.OutputText);
  }

  /** What was wrong with the stream so far: the first so many, see `limits.findings`. */
  get findings(): readonly Finding[] {
    const kept = this.#counts()[3]!;
    // A repair may be added to a finding of the newest event after it was made, so the last one is read again.
    if (kept > 0) {
      const from = Math.max(0, Math.min(this.#findings.length, kept) - 8);
      this.#findings = [...this.#findings.slice(0, from), ...(JSON.parse(this.#ask(core.Ask.Findings, from)) as Finding[])];
    }
    return this.#findings;
  }

  /** How many findings there were, also beyond those that are kept. */
  get findingCounts(): FindingCounts {
    const [notes, warnings, errors] = this.#counts();
    return { notes: notes!, warnings: warnings!, errors: errors! };
  }

  /** How the stream ended; null before a terminal event or `finish` has said so. */
  get outcome(): Outcome | null {
    const outcome = this.#ask(core.Ask.Outcome);
    return outcome === "" ? null : (JSON.parse(outcome) as Outcome);
  }

  /** The error that ended reading; null while reading can go on. */
  get error(): DeltafoldError | null {
    return this.#error;
  }

  /** The newest sequence number: where to resume after. */
  get lastSequenceNumber(): number | null {
    return this.#state().last_sequence_number;
  }

  /** How many events there were. */
  get eventCount(): number {
    return this.#state().event_count;
  }

  /** A number that moves with any sign of life: bytes, comments, blank frames, keepalives, events. */
  get activity(): number {
    return this.#state().activity;
  }

  /** Whether `[DONE]` was read. */
  get sawDone(): boolean {
    return this.#state().saw_done;
  }

  /** The last event id of the event stream; empty if there is none. */
  get lastEventId(): string {
    return this.#state().last_event_id;
  }

  /** The reconnection time that the stream asked for, in milliseconds, or null. */
  get retry(): number | null {
    return this.#state().retry;
  }

  /** Bytes read since the start. */
  get offset(): number {
    return this.#state().offset;
  }

  /** Rate limits gathered from headers and events. */
  get rateLimits(): RateLimits {
    return this.#state().rate_limits;
  }

  /** The arguments of the call at a position of the output, as far as they go; undefined before the first character. */
  partialArguments(position: number): unknown {
    return valueOf(this.#ask(core.Ask.Arguments, position));
  }

  /** The text of a part read as JSON that is still growing, for structured output; undefined before the first character. */
  partialText(position: number, part: number): unknown {
    return valueOf(this.#ask(core.Ask.Text, position, part));
  }

  /** Preview images of the item at a position, by number, as base64. */
  partialImages(position: number): [number: number, base64: string][] {
    return (valueOf(this.#ask(core.Ask.Images, position)) ?? []) as [number, string][];
  }

  /** Takes HTTP response headers; those about rate limits are kept. With a status a validating reader checks them, too. */
  noteHeaders(headers: Iterable<readonly [string, string]>, status = 0): void {
    this.#live(true).note_head(status, [...headers].flat().map((line) => `${line}\n`).join(""));
  }

  /** Takes the request that the stream answers, as an object or as JSON text: a validating reader then checks the rules about both. */
  noteRequest(request: object | string): void {
    const reader = this.#live(true);
    call(() => reader.note_request(typeof request === "string" ? request : JSON.stringify(request)));
  }

  /** The state after the last event, as bytes to store; `Reader.restore` takes it up after a reconnect. */
  save(): Uint8Array {
    return this.#live(true).save();
  }

  /** Makes the reader new; options stay. */
  reset(): void {
    const old = this.#live(true);
    this.#page.take();
    const reader = call(() => new core.Reader(this.#options));
    this.#core = reader;
    old.free();
    this.#room = 0;
    this.#rest = null;
    this.#within = false;
    this.#items = [];
    this.#snapshot = new Snapshot();
    this.#findings = [];
    this.#error = null;
    this.#begin(reader);
  }

  /** Gives the memory back; `using` does it by itself, and so does collection. What was read before stays good. */
  free(): void {
    if (this.#core === null) return;
    this.#turn();
    this.#core.free();
    this.#core = null;
  }

  #begin(reader: core.Reader): void {
    // The glue has it under this name, and its generator is pinned.
    this.#at = (reader as unknown as { __wbg_ptr: number }).__wbg_ptr;
    this.#head = reader.head() >>> 2;
    this.#page = new Page(reader, this.#head);
  }

  /** Takes the page out of the module, and begins another. */
  #turn(): void {
    this.#page.take();
    this.#page = new Page(this.#core!, this.#head);
  }

  #piece(chunk: Uint8Array, most: number): StreamEvent[] {
    const reader = this.#live();
    const length = chunk.length;
    if (length > this.#room) {
      this.#room = Math.min(PIECE, Math.max(1024, length * 2));
      this.#roomAt = reader.room(this.#room);
    }
    // A chunk whose buffer was given away has no bytes, and cannot be copied from.
    if (length > 0) put(chunk, this.#roomAt);
    let count;
    try {
      count = feed(this.#at, length, most) | 0;
    } catch (thrown) {
      throw this.#died(thrown);
    }
    return count === 0 ? [] : this.#batch(count);
  }

  #call<T>(body: (reader: core.Reader) => T, ended = false): T {
    const reader = this.#live(ended);
    try {
      return body(reader);
    } catch (thrown) {
      throw this.#died(thrown);
    }
  }

  /** Takes note of a trap; what is to be thrown. */
  #died(thrown: unknown): unknown {
    const error = thrownAs(thrown);
    if (error instanceof Fatal && this.#core !== null) {
      this.#fatal = error;
      dead.push(this.#core);
      this.#core = null;
    }
    return error;
  }

  #batch(count: number): StreamEvent[] {
    if (count <= 0) {
      if (count === 0) return [];
      const error = errorOf(this.#core!.error());
      if (count === ENDED || !(error instanceof Misuse)) this.#error = error;
      throw error;
    }
    const events = eventsOf(this.#head, count, this.#page, this.#items);
    const flags = wordView()[this.#head + FLAGS]!;
    if (flags > WIDE) {
      if ((flags & FULL) !== 0) this.#turn();
      if ((flags & STOPPED) !== 0) this.#error = errorOf(this.#core!.error());
    }
    return events;
  }

  #ask(what: core.Ask, at = 0, part = 0): string {
    return this.#call((reader) => reader.ask(what, at, part), true);
  }

  #counts(): number[] {
    return JSON.parse(this.#ask(core.Ask.Counts)) as number[];
  }

  #state(): State {
    return JSON.parse(this.#ask(core.Ask.State)) as State;
  }

  #live(ended = false): core.Reader {
    if (!this.#core) {
      if (this.#fatal === null) throw new Misuse("the reader was freed", "misuse.after_finish", 0);
      const fatal = new Fatal("the wasm stopped in an earlier call, and this reader is dead; make a new one", "fatal.dead", 0);
      fatal.cause = this.#fatal;
      throw fatal;
    }
    if (this.#error !== null && !ended) throw this.#error;
    return this.#core;
  }
}

// Not every engine has it; where it is, `using reader = new Reader()` works.
if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Reader.prototype, Symbol.dispose, { value: Reader.prototype.free, configurable: true, writable: true });
}

interface State {
  last_sequence_number: number | null;
  event_count: number;
  activity: number;
  saw_done: boolean;
  last_event_id: string;
  retry: number | null;
  offset: number;
  rate_limits: RateLimits;
}

const EMPTY = new Uint8Array();

function waiting(): Misuse {
  return new Misuse("events of the last chunk are still to be given; only the iterator may feed its reader", "misuse.intent", 0);
}

let made: core.Reader | null = null;

/** A reader around one that the module has made already. */
function around(reader: core.Reader, options: ReaderOptions): Reader {
  made = reader;
  try {
    return new Reader(options);
  } finally {
    made = null;
  }
}

function valueOf(json: string): unknown {
  return json === "" ? undefined : JSON.parse(json);
}

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
