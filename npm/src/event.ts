/* Events as objects: plain deltas are made from numbers, everything else is parsed from its payload text. */

import * as core from "../gen/core.js";
import { textAt, wordView } from "./memory.js";
import { FLAGS, type Page, TABLE_AT, TEXT_AT, TEXT_BYTES, WIDE } from "./page.js";
import type { StreamEvent } from "./types.js";

/** What the reader knows of an event beside its fields. */
export interface EventInfo {
  /** The `type` of the contract that it is read as: of a name seen in the wild, the one that it stands for. */
  readonly kind: string;
  /** The exact payload text. */
  readonly raw: string;
  /** Position of the event in the stream, from 0. */
  readonly index: number;
  /** Byte offset of the payload from the start of the stream. */
  readonly offset: number;
  /** Why the payload is no JSON object; null if it is one. */
  readonly fault: "malformed" | null;
}

/* The flags beside the kind in a table row; bindings/wasm/src/batch.rs has the same list. */
const PLAIN = 1 << 8;
const CONTENT = 1 << 9;
const SUMMARY = 1 << 10;
const NEW_ITEM = 1 << 11;
const FAULTY = 1 << 13;

/** Numbers in a table row. */
const ROW = 6;

/** Item ids that are held, by the low bits of the output index. */
const SLOTS = 64;

/** The names of all kinds, by their number. */
let types: string[] = [];

/** A delta whose routing fields are data; what is seldom asked for is read from the payload. */
class PlainEvent {
  /* The fields are only declared: a class field would be set twice. */
  readonly #page: Page;
  /** Where its record is on the page. */
  readonly #at: number;
  declare readonly type: string;
  declare readonly sequence_number: number;
  declare readonly item_id: string;
  declare readonly output_index: number;
  declare readonly delta: string;
  declare readonly content_index?: number;
  declare readonly summary_index?: number;

  /* One class for the three that there are: a constructor that calls another one costs as much as all the rest. */
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
  }

  get logprobs(): unknown {
    return Looked.payload(this)["logprobs"];
  }

  get obfuscation(): unknown {
    return Looked.payload(this)["obfuscation"];
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

/** What gives back the object that it is handed, so that a class that extends it can put private fields on that. */
const Given = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/**
 * What is known of an event that was parsed, as a private field of it. A `WeakMap` would do as well, but what it holds outlives
 * every short collection, and events with it.
 */
class Known extends Given {
  readonly #info: EventInfo;

  constructor(event: object, info: EventInfo) {
    super(event);
    this.#info = info;
  }

  static info(event: object): EventInfo | undefined {
    return #info in event ? event.#info : undefined;
  }
}

/** A payload that was parsed because somebody asked for a rare field: its objects are the same at the next look. */
class Looked extends Given {
  readonly #payload: Record<string, unknown>;

  constructor(event: PlainEvent) {
    super(event);
    this.#payload = event.toJSON() as Record<string, unknown>;
  }

  static payload(event: PlainEvent): Record<string, unknown> {
    const looked: object = #payload in event ? event : new Looked(event);
    return (looked as Looked).#payload;
  }
}

/**
 * Returns the payload text, position and byte offset of an event; undefined for an object that no reader made.
 *
 * The event itself has the wire's fields and nothing else.
 */
export function eventInfo(event: object): EventInfo | undefined {
  return PlainEvent.info(event) ?? Known.info(event);
}

/** The events of a batch, in order. `head` is where its header is, `items` holds the item ids of the reader by slot. */
export function eventsOf(head: number, count: number, page: Page, items: string[]): StreamEvent[] {
  // Before the views are asked for, since it is a call.
  if (types.length === 0) types = namesOfKinds();
  const table = wordView();
  const text = textAt(table[head + TEXT_AT]!, table[head + TEXT_BYTES]!, (table[head + FLAGS]! & WIDE) === 0);
  const events = new Array<object>(count);
  let at = table[head + TABLE_AT]! >>> 2;
  let start = 0;
  for (let i = 0; i < count; i++, at += ROW) {
    const flags = table[at]!;
    const middle = table[at + 4]!;
    const end = table[at + 5]!;
    const type = types[flags & 255]!;
    const first = text.slice(start, middle);
    if ((flags & PLAIN) !== 0) {
      const indexes = table[at + 2]!;
      const output = indexes & 0xffff;
      const slot = output % SLOTS;
      if ((flags & NEW_ITEM) !== 0) items[slot] = text.slice(middle, end);
      events[i] = new PlainEvent(type, table[at + 1]!, items[slot]!, output, flags, indexes >>> 16, first, page, table[at + 3]!);
    } else {
      const offset = table[at + 1]! + table[at + 2]! * 4294967296;
      events[i] = parsed(type, first, text.slice(middle, end), table[at + 3]!, offset, (flags & FAULTY) !== 0);
    }
    start = end;
  }
  return events as StreamEvent[];
}

/** Names of members are strings that engines keep once, so that comparing them with one in the user's code is comparing places. */
function namesOfKinds(): string[] {
  return Object.keys(Object.fromEntries(core.kind_names().split("\n").map((name) => [name, 0])));
}

function parsed(kind: string, raw: string, outline: string, index: number, offset: number, faulty: boolean): object {
  const event = faulty ? { type: "" } : outline === "" ? (JSON.parse(raw) as object) : later(raw, JSON.parse(outline) as Outline);
  return new Known(event, { kind, raw, index, offset, fault: faulty ? "malformed" : null });
}

/** What the module tells of a payload without parsing it: the first members, then the name of each long one, name and value of others. */
type Outline = [object, ...(string | [name: string, value: unknown])[]];

/** What an object that is parsed when somebody looks has beside its members: its payload, and itself, also behind a proxy. */
const LATER = Symbol("payload");

interface Later {
  [LATER]: { raw: string; event: object; value: Record<string, unknown> | null };
}

/**
 * The members of such objects, by name. All objects share them: the engine takes an object's own pair of functions for
 * something that lives long, and would keep the payload with it.
 */
const members = new Map<string, PropertyDescriptor>();

/** A stream that makes names up must not fill the memory with them. */
const MEMBERS = 256;

/** An object whose long members are there by name, and parsed from the payload when one of them is asked for. */
function later(raw: string, [event, ...others]: Outline): object {
  if (others.length === 0) return event;
  for (const other of others) {
    if (typeof other !== "string") define(event, other[0], other[1]);
    else {
      const known = members.get(other) ?? memberOf(other);
      if (known === undefined) return JSON.parse(raw) as object;
      Object.defineProperty(event, other, known);
    }
  }
  return Object.defineProperty(event, LATER, { configurable: true, value: { raw, event, value: null }, writable: true });
}

function memberOf(name: string): PropertyDescriptor | undefined {
  if (members.size >= MEMBERS) return undefined;
  const member: ThisType<Later> & PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get() {
      return filled(this[LATER])[name];
    },
    set(value) {
      filled(this[LATER]);
      define(this[LATER].event, name, value);
    },
  };
  members.set(name, member);
  return member;
}

/** Parses the payload, and makes all members plain data; those of an object that was frozen stay as they are. */
function filled(held: Later[typeof LATER]): Record<string, unknown> {
  if (held.value !== null) return held.value;
  const value = JSON.parse(held.raw) as Record<string, unknown>;
  for (const name of Object.keys(value)) {
    const member = Object.getOwnPropertyDescriptor(held.event, name);
    if (member?.configurable && member.get !== undefined && member.get === members.get(name)?.get) define(held.event, name, value[name]);
  }
  held.value = value;
  return value;
}

function define(event: object, name: string, value: unknown): void {
  Object.defineProperty(event, name, { value, enumerable: true, configurable: true, writable: true });
}
