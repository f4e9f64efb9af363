/* Events as objects. A plain delta is built from the numbers of its table row; every other event is parsed from its payload. */

import * as core from "../gen/core.js";
import { textAt, wordView } from "./memory.js";
import { FLAGS, type Page, TABLE_AT, TEXT_AT, TEXT_BYTES, WIDE } from "./page.js";
import type { StreamEvent } from "./types.js";

/** Metadata of an event that is not part of its payload. */
export interface EventInfo {
  /** The `type` of the contract that the reader uses; for an alias of a known provider, the name that it stands for. */
  readonly kind: string;
  /** The exact payload text. */
  readonly raw: string;
  /** Position of the event in the stream, from 0. */
  readonly index: number;
  /** Byte offset of the payload from the start of the stream. */
  readonly offset: number;
  /** `malformed` if the payload is not a JSON object, otherwise null. */
  readonly fault: "malformed" | null;
}

/* Flags of a table row; bindings/wasm/src/batch.rs has the same list. */
const PLAIN = 1 << 8;
const CONTENT = 1 << 9;
const SUMMARY = 1 << 10;
const NEW_ITEM = 1 << 11;
const LOGPROBS = 1 << 12;
const FAULTY = 1 << 13;
const EMPTY_LOGPROBS = 1 << 14;

/** Numbers in a table row. */
const ROW = 6;

/** Number of item ids that are cached, by the low bits of the output index. */
const SLOTS = 64;

/** The wire names of all kinds, by kind number. */
let types: string[] = [];

/**
 * A delta event. Everything that its type has is an own enumerable property, so that `{...event}` and `structuredClone(event)` keep it.
 * Log probabilities are read from the payload on access. The padding `obfuscation` is not part of the type: it is only a getter.
 */
class PlainEvent {
  /** @internal */
  static readonly name: string = "PlainEvent";
  /* The public fields are only declared, because an initialized class field would be written twice. */
  readonly #page: Page;
  /** Position of the event's record on the page. */
  readonly #at: number;
  declare readonly type: string;
  declare readonly sequence_number: number;
  declare readonly item_id: string;
  declare readonly output_index: number;
  declare readonly delta: string;
  declare readonly content_index?: number;
  declare readonly summary_index?: number;
  declare readonly logprobs?: unknown;

  /* One class for all three kinds of deltas: a call to a base constructor would cost as much as the rest. */
  constructor(type: string, number: number, item: string, output: number, flags: number, element: number, delta: string, page: Page, at: number) {
    this.#page = page;
    this.#at = at;
    this.type = type;
    this.sequence_number = number;
    this.item_id = item;
    this.output_index = output;
    this.delta = delta;
    if ((flags & CONTENT) !== 0) this.content_index = element;
    else if ((flags & SUMMARY) !== 0) this.summary_index = element;
    if ((flags & EMPTY_LOGPROBS) !== 0) this.logprobs = [];
    else if ((flags & LOGPROBS) !== 0) Object.defineProperty(this, "logprobs", LOGPROBS_ACCESSOR);
  }

  get obfuscation(): unknown {
    return ParsedPayload.of(this)["obfuscation"];
  }

  toJSON(): unknown {
    return JSON.parse(this.#page.text(this.#at));
  }

  static info(event: object): EventInfo | undefined {
    if (!(#page in event)) return undefined;
    const [page, at] = [event.#page, event.#at];
    return { kind: event.type, raw: page.text(at), index: page.index(at), offset: page.offset(at), fault: null };
  }
}

const LOGPROBS_ACCESSOR: PropertyDescriptor & ThisType<PlainEvent> = {
  enumerable: true,
  configurable: true,
  get() {
    return ParsedPayload.of(this)["logprobs"];
  },
  set(value) {
    define(this, "logprobs", value);
  },
};

/** A base class whose constructor returns its argument, so that a subclass can add private fields to an existing object. */
const ReturnArgument = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** Metadata of a parsed event, as a private field of it. A `WeakMap` would keep events alive over every minor garbage collection. */
class ParsedEvent extends ReturnArgument {
  readonly #info: EventInfo;

  constructor(event: object, info: EventInfo) {
    super(event);
    this.#info = info;
  }

  static info(event: object): EventInfo | undefined {
    return #info in event ? event.#info : undefined;
  }
}

/** The parsed payload of a delta, as a private field of it, so that every access returns the same objects. */
class ParsedPayload extends ReturnArgument {
  readonly #payload: Record<string, unknown>;

  constructor(event: PlainEvent) {
    super(event);
    this.#payload = event.toJSON() as Record<string, unknown>;
  }

  static of(event: PlainEvent): Record<string, unknown> {
    const parsed: object = #payload in event ? event : new ParsedPayload(event);
    return (parsed as ParsedPayload).#payload;
  }
}

/**
 * Returns the payload text, position and byte offset of an event; undefined for an object that is not from a reader.
 *
 * The event object itself has only the fields of the wire.
 */
export function eventInfo(event: object): EventInfo | undefined {
  return PlainEvent.info(event) ?? ParsedEvent.info(event);
}

/** Returns the events of a batch, in order. `head` is the address of its header, `items` caches the item ids by slot. */
export function eventsOf(head: number, count: number, page: Page, items: string[]): StreamEvent[] {
  // This is a call into the module and can detach the views, so it must come first.
  if (types.length === 0) types = kindNames();
  const table = wordView();
  const text = textAt(table[head + TEXT_AT]!, table[head + TEXT_BYTES]!, (table[head + FLAGS]! & WIDE) === 0);
  const events = new Array<object>(count);
  let at = table[head + TABLE_AT]! >>> 2;
  let start = 0;
  for (let i = 0; i < count; i++, at += ROW) {
    events[i] = eventAt(table, at, text, start, page, items);
    start = table[at + 5]!;
  }
  return events as StreamEvent[];
}

/** Returns the only event of a batch. */
export function eventOf(head: number, page: Page, items: string[]): StreamEvent {
  if (types.length === 0) types = kindNames();
  const table = wordView();
  const text = textAt(table[head + TEXT_AT]!, table[head + TEXT_BYTES]!, (table[head + FLAGS]! & WIDE) === 0);
  return eventAt(table, table[head + TABLE_AT]! >>> 2, text, 0, page, items) as StreamEvent;
}

/** Returns the event of the table row at a position; its texts begin at `start`. */
function eventAt(table: Uint32Array, at: number, text: string, start: number, page: Page, items: string[]): object {
  const flags = table[at]!;
  const middle = table[at + 4]!;
  const end = table[at + 5]!;
  const type = types[flags & 255]!;
  const first = text.slice(start, middle);
  if ((flags & PLAIN) === 0) {
    const offset = table[at + 1]! + table[at + 2]! * 4294967296;
    return parseEvent(type, first, text.slice(middle, end), table[at + 3]!, offset, (flags & FAULTY) !== 0);
  }
  const indexes = table[at + 2]!;
  const output = indexes & 0xffff;
  const slot = output % SLOTS;
  if ((flags & NEW_ITEM) !== 0) items[slot] = text.slice(middle, end);
  return new PlainEvent(type, table[at + 1]!, items[slot]!, output, flags, indexes >>> 16, first, page, table[at + 3]!);
}

/** Property names are interned by the engine, so a comparison with a literal in the user's code compares two pointers. */
function kindNames(): string[] {
  return Object.keys(Object.fromEntries(core.kind_names().split("\n").map((name) => [name, 0])));
}

function parseEvent(kind: string, raw: string, outline: string, index: number, offset: number, faulty: boolean): object {
  const event = faulty ? { type: "" } : outline === "" ? (JSON.parse(raw) as object) : lazyObject(raw, JSON.parse(outline) as Outline);
  return new ParsedEvent(event, { kind, raw, index, offset, fault: faulty ? "malformed" : null });
}

/** The outline of a large payload: the members before the first long one, then the name of each long member, and name and value of others. */
type Outline = [object, ...(string | [name: string, value: unknown])[]];

/** The key of the state of a lazy object: its payload and itself, because `this` can be a proxy. */
const LAZY = Symbol("payload");

interface Lazy {
  [LAZY]: { raw: string; event: object; value: Record<string, unknown> | null };
}

/** Accessors by member name, shared by all lazy objects: closures of a single object would keep its payload alive. */
const accessors = new Map<string, PropertyDescriptor>();

/** Maximum number of shared accessors, because a server chooses the member names. */
const MAX_ACCESSORS = 256;

/** Returns an object whose long members are accessors; the first access parses the whole payload. */
function lazyObject(raw: string, [event, ...others]: Outline): object {
  if (others.length === 0) return event;
  for (const other of others) {
    if (typeof other !== "string") define(event, other[0], other[1]);
    else {
      const accessor = accessors.get(other) ?? makeAccessor(other);
      if (accessor === undefined) return JSON.parse(raw) as object;
      Object.defineProperty(event, other, accessor);
    }
  }
  return Object.defineProperty(event, LAZY, { configurable: true, value: { raw, event, value: null }, writable: true });
}

function makeAccessor(name: string): PropertyDescriptor | undefined {
  if (accessors.size >= MAX_ACCESSORS) return undefined;
  const accessor: ThisType<Lazy> & PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get() {
      return materialize(this[LAZY])[name];
    },
    set(value) {
      materialize(this[LAZY]);
      define(this[LAZY].event, name, value);
    },
  };
  accessors.set(name, accessor);
  return accessor;
}

/** Parses the payload and replaces the accessors by data properties. A frozen object keeps its accessors. */
function materialize(held: Lazy[typeof LAZY]): Record<string, unknown> {
  if (held.value !== null) return held.value;
  const value = JSON.parse(held.raw) as Record<string, unknown>;
  for (const name of Object.keys(value)) {
    const member = Object.getOwnPropertyDescriptor(held.event, name);
    if (member?.configurable && member.get !== undefined && member.get === accessors.get(name)?.get) define(held.event, name, value[name]);
  }
  held.value = value;
  return value;
}

function define(event: object, name: string, value: unknown): void {
  Object.defineProperty(event, name, { value, enumerable: true, configurable: true, writable: true });
}
