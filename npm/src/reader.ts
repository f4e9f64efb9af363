import * as core from "../gen/core.js";
import { call, DeltafoldError, errorOf, Fatal, Misuse, toError } from "./error.js";
import { eventOf, eventsOf } from "./event.js";
import { feed, memoryBytes, more, put, wordView } from "./memory.js";
import { FLAGS, FULL, Page, RESPONSE_BYTES, STOPPED, WIDE } from "./page.js";
import { GrownTexts } from "./grown.js";
import { makeDisposable } from "./dispose.js";
import { Snapshot } from "./snapshot.js";
import type { Finding, FindingCounts, Outcome, RateLimits, ReaderOptions, ResponseObject, StreamEvent } from "./types.js";

/** Large chunks are copied into the module in pieces of this size, to bound the size of its input buffer. */
const PIECE = 1 << 16;

/** Returned by the module when reading has ended with no events before the end; -1 means that the call was refused. */
const ENDED = -2;

/** No limit on the number of events of a call. */
const ALL = 0xffffffff;

/** Readers that trapped. They are never freed, because freeing one could trap again. */
const trapped: core.Reader[] = [];

/**
 * Reads a stream in push form: takes bytes, split anywhere; returns events, findings and the response.
 *
 * Invalid data from a server does not throw: it becomes a finding, and reading continues. Only an exceeded limit, misuse or `strict` ends
 * reading. Events before the error are returned first and set `error`; the next call throws it.
 */
export class Reader {
  /** @internal */
  static readonly name: string = "Reader";
  #core: core.Reader | null;
  readonly #options: string;
  /** Address of the module's reader. */
  #at = 0;
  #head = 0;
  #page!: Page;
  #room = 0;
  #roomAt = 0;
  /** The rest of a chunk that is read event by event; null if there is none. */
  #rest: Uint8Array | null = null;
  /** How many bytes of that chunk the module has. */
  #restAt = 0;
  /** True if the module may hold more events of the bytes that it has. */
  #moreInside = false;
  #fatal: Fatal | null = null;
  #items: string[] = [];
  #snapshot = new Snapshot();
  #grown = new GrownTexts();
  #findings: Finding[] = [];
  /** What a reader that `resumeFrom` replaced had found. */
  #before: Found = NOTHING_FOUND;
  /** The state of a finished reader whose memory in the module was given to others; null if it has its own. */
  #parked: Parked | null = null;
  /** Its entry in the list of finished readers; null while it reads. */
  #finished: Finished | null = null;
  /** The state of a finished stream, which a restored reader does not have in full. */
  #finalState: string | null = null;
  #error: DeltafoldError | null = null;

  /** Creates a reader at the start of a stream. Throws `Misuse` for an option that does not exist or has another type. */
  constructor(options: ReaderOptions = {}) {
    makeDisposable(Reader.prototype);
    this.#options = JSON.stringify(options);
    this.#core = existing ?? call(() => new core.Reader(this.#options));
    this.#begin(this.#core);
  }

  /** Restores a state that `save` returned. Events that were already read are dropped with a finding. */
  static restore(saved: Uint8Array, options: ReaderOptions = {}): Reader {
    return wrap(call(() => core.Reader.restore(saved, JSON.stringify(options))), options);
  }

  /** Takes bytes of an event stream, split anywhere, and returns the events that they complete. */
  feed(chunk: Uint8Array): StreamEvent[] {
    if (!(chunk instanceof Uint8Array)) throw new TypeError(`expected a Uint8Array, found ${typeName(chunk)}`);
    if (this.#rest !== null) throw iteratorOwnsReader();
    if (chunk.length <= PIECE) return this.#piece(chunk);
    const events: StreamEvent[] = [];
    for (let at = 0; at < chunk.length && this.#error === null; at += PIECE) {
      for (const event of this.#piece(chunk.subarray(at, at + PIECE))) events.push(event);
    }
    return events;
  }

  /**
   * Stores bytes that `take` reads event by event, so that the response is never ahead of the newest event.
   *
   * @internal
   */
  put(chunk: Uint8Array): void {
    this.#rest = chunk;
    this.#restAt = 0;
  }

  /**
   * Returns the next event of the stored bytes; undefined if there is none.
   *
   * @internal
   */
  take(): StreamEvent | undefined {
    const chunk = this.#rest;
    if (chunk === null) return undefined;
    // Every piece is read to its end before the next one is fed.
    if (this.#moreInside && this.#error === null) {
      this.#live();
      let count;
      try {
        count = more(this.#at, 1) | 0;
      } catch (thrown) {
        throw this.#recordTrap(thrown);
      }
      if (count !== 0) return this.#one(count);
    }
    this.#moreInside = false;
    while (this.#restAt < chunk.length && this.#error === null) {
      const from = this.#restAt;
      this.#restAt += PIECE;
      this.#moreInside = true;
      const count = this.#feed(from === 0 && chunk.length <= PIECE ? chunk : chunk.subarray(from, from + PIECE), 1);
      if (count !== 0) return this.#one(count);
      this.#moreInside = false;
    }
    this.#rest = null;
    return undefined;
  }

  /** Takes one JSON message without SSE framing: a WebSocket message or a line of a log. */
  feedJson(message: string): StreamEvent[] {
    if (typeof message !== "string") throw new TypeError(`expected a string, found ${typeName(message)}`);
    if (this.#rest !== null) throw iteratorOwnsReader();
    return this.#batch(this.#call((reader) => reader.feed_json(message) | 0));
  }

  /** Ends the input. Returns the last event if only the blank line after it was missing. */
  end(): StreamEvent[] {
    if (this.#rest !== null) throw iteratorOwnsReader();
    return this.#batch(this.#call((reader) => reader.end() | 0));
  }

  /**
   * Ends the input, applies every event that was not read, and returns how the stream ended. May be called again.
   *
   * Throws the error that ended reading: a limit, or a broken rule if the reader is strict. `outcome` and `response` then have
   * what was read before the error. A last block without the blank line after it is read if its payload is complete JSON.
   *
   * The memory of a finished reader in the module may be used by others. What the reader has stays readable.
   */
  finish(): Outcome {
    if (this.#parked !== null) {
      if (this.#error !== null) throw this.#error;
      return JSON.parse(this.#parked.outcome) as Outcome;
    }
    // Copies the page, which the module releases, and which events that the user keeps refer to.
    if (this.#core !== null) this.#newPage();
    const outcome = this.#query(core.ReaderQuery.Finish);
    this.#room = 0;
    // An id is a part of the text of its whole batch, which it would keep in memory.
    this.#items = [];
    this.#finished ??= addFinished(this, wordView()[this.#head + RESPONSE_BYTES]!);
    if (outcome === "") throw (this.#error ??= errorOf(this.#core!.error()));
    return JSON.parse(outcome) as Outcome;
  }

  /**
   * Goes on with the stream over a new connection, after the old one broke. Feed the bytes of the new connection next.
   *
   * Bytes that were not read are discarded, with the half block at their end. Events with a number up to `lastSequenceNumber` are
   * dropped with a finding, so the server may replay from any event up to the one after it. Offsets count the bytes of the new
   * connection. Throws after `finish`.
   */
  reconnect(): void {
    const reader = this.#live();
    this.#rest = null;
    this.#moreInside = false;
    call(() => reader.reconnect());
  }

  /** The response so far, as plain objects. Unchanged parts are the same objects as at the last access. Null before the first event. */
  get response(): ResponseObject | null {
    this.#snapshot.apply(this.#query(core.ReaderQuery.Changes));
    return this.#snapshot.response;
  }

  /** The response so far as JSON text, with numbers as they were written. */
  get responseJson(): string {
    return this.#query(core.ReaderQuery.Response);
  }

  /** The texts of all messages so far, joined. */
  get outputText(): string {
    return this.#query(core.ReaderQuery.OutputText);
  }

  /** The findings so far: at most `limits.findings`, the first ones. */
  get findings(): readonly Finding[] {
    const kept = this.#counts()[3]!;
    // A repair can be added to the findings of the newest event later, so the last eight are read again.
    if (kept > 0) {
      const from = Math.max(0, Math.min(this.#findings.length, kept) - 8);
      this.#findings = [...this.#findings.slice(0, from), ...(JSON.parse(this.#query(core.ReaderQuery.Findings, from)) as Finding[])];
    }
    return this.#before.findings.length === 0 ? this.#findings : [...this.#before.findings, ...this.#findings];
  }

  /** The number of findings, including those that are not stored. */
  get findingCounts(): FindingCounts {
    const [notes, warnings, errors] = this.#counts();
    const { counts } = this.#before;
    return { notes: counts.notes + notes!, warnings: counts.warnings + warnings!, errors: counts.errors + errors! };
  }

  /** How the stream ended; null before a terminal event or `finish`. */
  get outcome(): Outcome | null {
    const outcome = this.#query(core.ReaderQuery.Outcome);
    return outcome === "" ? null : (JSON.parse(outcome) as Outcome);
  }

  /** The error that ended reading; null if reading can continue. */
  get error(): DeltafoldError | null {
    return this.#error;
  }

  /** The newest sequence number; resume after it. */
  get lastSequenceNumber(): number | null {
    return this.#state().last_sequence_number;
  }

  /** The number of events so far. */
  get eventCount(): number {
    return this.#state().event_count;
  }

  /** A counter that increases with any activity: bytes, comments, blank frames, keepalives, events. */
  get activity(): number {
    return this.#state().activity;
  }

  /** True after `[DONE]` was read. */
  get sawDone(): boolean {
    return this.#state().saw_done;
  }

  /** The last event id of the event stream; empty if there is none. */
  get lastEventId(): string {
    return this.#state().last_event_id;
  }

  /** The reconnection time that the stream requested, in milliseconds, or null. */
  get retry(): number | null {
    return this.#state().retry;
  }

  /** The number of bytes read since the start. */
  get offset(): number {
    return this.#state().offset;
  }

  /** The newest rate limits of headers and events. */
  get rateLimits(): RateLimits {
    return this.#state().rate_limits;
  }

  /**
   * The arguments of the call at an output position, parsed as incomplete JSON; undefined before the first character. Parts that did not
   * change are the same objects as at the last access, which costs what is new and a shallow copy of each open object and array.
   */
  partialArguments(position: number): unknown {
    return this.#grown.apply(this.#query(core.ReaderQuery.Arguments, position), `${position}`);
  }

  /** The text of a part, parsed as incomplete JSON like `partialArguments`, for structured output; undefined before the first character. */
  partialText(position: number, part: number): unknown {
    return this.#grown.apply(this.#query(core.ReaderQuery.Text, position, part), `${position}/${part}`);
  }

  /** The preview images of the item at an output position: number and base64 data. */
  partialImages(position: number): [number: number, base64: string][] {
    return (valueOf(this.#query(core.ReaderQuery.Images, position)) ?? []) as [number, string][];
  }

  /** Takes HTTP response headers and stores the rate limits. With a status, a validating reader also checks them. */
  noteHeaders(headers: Iterable<readonly [string, string]>, status = 0): void {
    this.#live(true).note_head(status, [...headers].flat().map((line) => `${line}\n`).join(""));
  }

  /** Takes the request of the stream, as an object or JSON text. A validating reader then checks rules about request and response. */
  noteRequest(request: object | string): void {
    const reader = this.#live(true);
    call(() => reader.note_request(typeof request === "string" ? request : JSON.stringify(request)));
  }

  /** Returns the state after the last event as bytes; `Reader.restore` continues from it. */
  save(): Uint8Array {
    return this.#parked === null ? this.#live(true).save() : this.#parked.saved.slice();
  }

  /**
   * Returns the state before the end is applied to a response without a terminal event, for `resumeFrom`.
   *
   * @internal
   */
  suspend(): Suspended {
    return { saved: this.save(), findings: this.findings, counts: this.findingCounts };
  }

  /**
   * Goes back to a state that `suspend` returned, to read the bytes of a new connection.
   *
   * @internal
   */
  resumeFrom({ saved, findings, counts }: Suspended): void {
    const reader = call(() => core.Reader.restore(saved, this.#options));
    this.#release();
    this.#start(reader);
    this.#before = { findings, counts };
    this.#findings = [];
  }

  /**
   * Gives the memory in the module to other readers. What is asked for later is restored.
   *
   * @internal
   */
  park(): void {
    // It may have been reset or freed.
    if (this.#core === null || this.#finished === null) return;
    const query = (what: core.ReaderQuery): string => this.#query(what);
    const { Findings, Counts, Outcome, State } = core.ReaderQuery;
    const parked = { saved: this.#core.save(), findings: query(Findings), counts: query(Counts), outcome: query(Outcome), state: query(State) };
    this.#release();
    this.#parked = parked;
  }

  /** Resets the reader to the start of a stream, with the same options. */
  reset(): void {
    this.#live(true);
    const reader = call(() => new core.Reader(this.#options));
    this.#release();
    this.#start(reader);
    this.#items = [];
    this.#snapshot = new Snapshot();
    this.#findings = [];
    this.#before = NOTHING_FOUND;
  }

  /** Frees the memory in the module. `using` and garbage collection also do it. Events and snapshots stay valid. */
  free(): void {
    this.#release();
    this.#parked = null;
  }

  /** Frees the module's reader. */
  #release(): void {
    if (this.#core === null) return;
    this.#page.take();
    this.#core.free();
    this.#core = null;
    if (this.#finished !== null) removeFinished(this.#finished);
  }

  /** Starts to read with another reader of the module. */
  #start(reader: core.Reader): void {
    this.#parked = null;
    this.#finished = null;
    this.#finalState = null;
    this.#core = reader;
    this.#room = 0;
    this.#rest = null;
    this.#moreInside = false;
    this.#error = null;
    this.#grown = new GrownTexts();
    this.#begin(reader);
  }

  #begin(reader: core.Reader): void {
    // An internal name of wasm-bindgen, whose version is pinned.
    this.#at = (reader as unknown as { __wbg_ptr: number }).__wbg_ptr;
    this.#head = reader.head() >>> 2;
    this.#page = new Page(reader, this.#head);
  }

  /** Copies the page out of the module and starts a new one. */
  #newPage(): void {
    this.#page.take();
    this.#page = new Page(this.#core!, this.#head);
  }

  #piece(chunk: Uint8Array): StreamEvent[] {
    const count = this.#feed(chunk, ALL);
    return count === 0 ? [] : this.#batch(count);
  }

  /** Copies a chunk into the module and reads at most this number of events. */
  #feed(chunk: Uint8Array, most: number): number {
    const reader = this.#live();
    const length = chunk.length;
    if (length > this.#room) {
      this.#room = Math.min(PIECE, Math.max(1024, length * 2));
      this.#roomAt = reader.room(this.#room);
    }
    // A chunk with a detached buffer has length 0 and cannot be copied.
    if (length > 0) put(chunk, this.#roomAt);
    try {
      return feed(this.#at, length, most) | 0;
    } catch (thrown) {
      throw this.#recordTrap(thrown);
    }
  }

  #call<T>(body: (reader: core.Reader) => T, ended = false): T {
    const reader = this.#live(ended);
    try {
      return body(reader);
    } catch (thrown) {
      throw this.#recordTrap(thrown);
    }
  }

  /** Converts what a call threw; after a trap the reader is unusable. */
  #recordTrap(thrown: unknown): unknown {
    const error = toError(thrown);
    if (error instanceof Fatal && this.#core !== null) {
      this.#fatal = error;
      trapped.push(this.#core);
      this.#core = null;
    }
    return error;
  }

  #batch(count: number): StreamEvent[] {
    if (count <= 0) {
      if (count === 0) return [];
      throw this.#refusal(count);
    }
    const events = eventsOf(this.#head, count, this.#page, this.#items);
    this.#noteFlags();
    return events;
  }

  /** The event of a batch that can have only one. */
  #one(count: number): StreamEvent {
    if (count < 0) throw this.#refusal(count);
    const event = eventOf(this.#head, this.#page, this.#items);
    this.#noteFlags();
    return event;
  }

  #noteFlags(): void {
    const flags = wordView()[this.#head + FLAGS]!;
    if (flags <= WIDE) return;
    if ((flags & FULL) !== 0) this.#newPage();
    if ((flags & STOPPED) !== 0) this.#error = errorOf(this.#core!.error());
  }

  #refusal(count: number): DeltafoldError {
    const error = errorOf(this.#core!.error());
    if (count === ENDED || !(error instanceof Misuse)) this.#error = error;
    return error;
  }

  #query(what: core.ReaderQuery, at = 0, part = 0): string {
    if (this.#parked !== null) {
      const known = parkedAnswer(this.#parked, what, at);
      if (known !== undefined) return known;
    }
    if (this.#finalState !== null && what === core.ReaderQuery.State) return this.#finalState;
    return this.#call((reader) => reader.query(what, at, part), true);
  }

  /** Restores the module's reader of a finished stream. It becomes the newest one that may be parked. */
  #unpark({ saved, findings, counts, state }: Parked): void {
    const error = this.#error;
    const [notes, warnings, errors] = JSON.parse(counts) as [number, number, number];
    const before = this.#before;
    const reader = call(() => core.Reader.restore(saved, this.#options));
    reader.query(core.ReaderQuery.Finish, 0, 0);
    this.#start(reader);
    this.#error = error;
    this.#finished = addFinished(this, wordView()[this.#head + RESPONSE_BYTES]!);
    this.#finalState = state;
    this.#before = {
      findings: [...before.findings, ...(JSON.parse(findings) as Finding[])],
      counts: { notes: before.counts.notes + notes, warnings: before.counts.warnings + warnings, errors: before.counts.errors + errors },
    };
    this.#findings = [];
  }

  #counts(): number[] {
    return JSON.parse(this.#query(core.ReaderQuery.Counts)) as number[];
  }

  #state(): State {
    return JSON.parse(this.#query(core.ReaderQuery.State)) as State;
  }

  #live(ended = false): core.Reader {
    if (this.#parked !== null) this.#unpark(this.#parked);
    if (!this.#core) {
      if (this.#fatal === null) throw new Misuse("the reader was freed", "misuse.after_finish", 0);
      const fatal = new Fatal("the wasm stopped in an earlier call and this reader is unusable; create a new one", "fatal.dead", 0);
      fatal.cause = this.#fatal;
      throw fatal;
    }
    if (this.#error !== null && !ended) throw this.#error;
    return this.#core;
  }
}

/** The findings of a reader. */
interface Found {
  readonly findings: readonly Finding[];
  readonly counts: FindingCounts;
}

const NOTHING_FOUND: Found = { findings: [], counts: { notes: 0, warnings: 0, errors: 0 } };

/**
 * A state to resume from.
 *
 * @internal
 */
export interface Suspended extends Found {
  readonly saved: Uint8Array;
}

/** The state of a finished reader as bytes, and the answers that these bytes do not have, as JSON text. */
interface Parked {
  readonly saved: Uint8Array;
  readonly findings: string;
  readonly counts: string;
  readonly outcome: string;
  readonly state: string;
}

function parkedAnswer(parked: Parked, what: core.ReaderQuery, at: number): string | undefined {
  switch (what) {
    case core.ReaderQuery.Findings:
      return at === 0 ? parked.findings : JSON.stringify((JSON.parse(parked.findings) as Finding[]).slice(at));
    case core.ReaderQuery.Counts:
      return parked.counts;
    case core.ReaderQuery.Outcome:
      return parked.outcome;
    case core.ReaderQuery.State:
      return parked.state;
  }
  return undefined;
}

/** A finished reader that still has memory in the module, and about how many bytes that is. */
interface Finished {
  readonly reader: WeakRef<Reader>;
  readonly bytes: number;
}

/**
 * The finished readers that still have memory in the module, oldest first. Most programs free no reader, and a loop that waits for no
 * timer and no socket gives the garbage collector no chance to do it.
 */
const finished = new Set<Finished>();

/** Removes readers that were collected. */
let collected: FinalizationRegistry<Finished> | null = null;

/** The sum of the memory of all finished readers. */
let finishedBytes = 0;

/** Bound of that sum, and of the memory of the module: past both, the oldest readers are parked, which costs as much as reading them. */
const MAX_FINISHED_BYTES = 64 << 20;

/** What a finished reader has in the module besides its response. */
const READER_BYTES = 12288;

function addFinished(reader: Reader, responseBytes: number): Finished | null {
  // Workers with a compatibility date before May 2025 have no weak references. Their readers are freed by `free()` alone.
  if (typeof WeakRef !== "function") return null;
  // A growing text has memory for twice its length.
  const entry = { reader: new WeakRef(reader), bytes: READER_BYTES + 2 * responseBytes };
  finished.add(entry);
  finishedBytes += entry.bytes;
  (collected ??= new FinalizationRegistry(removeFinished)).register(reader, entry);
  for (const oldest of finished) {
    if (finishedBytes <= MAX_FINISHED_BYTES || memoryBytes() <= MAX_FINISHED_BYTES || oldest === entry) break;
    removeFinished(oldest);
    oldest.reader.deref()?.park();
  }
  return entry;
}

function removeFinished(entry: Finished): void {
  if (finished.delete(entry)) finishedBytes -= entry.bytes;
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

function iteratorOwnsReader(): Misuse {
  return new Misuse("an iterator still returns events of the last chunk; only the iterator may feed its reader", "misuse.intent", 0);
}

/** The reader that the next constructor call takes instead of creating one. */
let existing: core.Reader | null = null;

/** Wraps a reader that the module has already created. */
function wrap(reader: core.Reader, options: ReaderOptions): Reader {
  existing = reader;
  try {
    return new Reader(options);
  } finally {
    existing = null;
  }
}

function valueOf(json: string): unknown {
  return json === "" ? undefined : JSON.parse(json);
}

function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}
