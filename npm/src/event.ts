/* Events as objects: plain deltas are made from numbers, everything else is parsed from its payload text. */

import * as core from "../gen/core.js";
import { textAt, wordView } from "./memory.js";
import { FIRST, type Page, TABLE_AT, TEXT_ASCII, TEXT_AT, TEXT_BYTES } from "./page.js";
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
const ALIKE = 1 << 14;

/** Numbers in a table row. */
const ROW = 13;

const types: string[] = [];

/** A delta whose routing fields are data; what is seldom asked for is read from the payload. */
class PlainEvent {
  /* The fields are only declared: a class field would be set twice. */
  readonly #page: Page;
  readonly #start: number;
  readonly #end: number;
  readonly #index: number;
  readonly #offset: number;
  declare readonly type: string;
  declare readonly sequence_number: number;
  declare readonly item_id: string;
  declare readonly output_index: number;
  declare readonly delta: string;
  declare readonly content_index?: number;
  declare readonly summary_index?: number;

  /* One class for the three that there are: a constructor that calls another one costs as much as all the rest. */
  constructor(type: string, number: number, item: string, output: number, flags: number, element: number, delta: string, page: Page, start: number, end: number, index: number, offset: number) {
    this.#page = page;
    this.#start = start;
    this.#end = end;
    this.#index = index;
    this.#offset = offset;
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
    return JSON.parse(this.#page.text(this.#start, this.#end));
  }

  static info(event: object): EventInfo | undefined {
    if (!(#page in event)) return undefined;
    return { kind: event.type, raw: event.#page.text(event.#start, event.#end), index: event.#index, offset: event.#offset, fault: null };
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
  const words = wordView();
  const text = textAt(words[head + TEXT_AT]!, words[head + TEXT_BYTES]!, words[head + TEXT_ASCII] !== 0);
  const first = words[head + FIRST]!;
  let at = words[head + TABLE_AT]! >>> 2;
  const events = [eventAt(words, at, first, text, page, items)];
  for (let i = 1; i < count; i++) events.push(eventAt(words, (at += ROW), first + i, text, page, items));
  return events as StreamEvent[];
}

function eventAt(table: Uint32Array, at: number, index: number, text: string, page: Page, items: string[]): object {
  const head = table[at]!;
  const start = table[at + 5]!;
  const end = table[at + 6]!;
  const high = table[at + 12]!;
  const offset = high === 0 ? table[at + 11]! : table[at + 11]! + high * 4294967296;
  const type = types[head & 255] ?? nameOf(head & 255);
  const delta = text.slice(table[at + 7]!, table[at + 8]!);
  if ((head & PLAIN) === 0) return parsed(type, text.slice(start, end), delta, index, offset, (head & FAULTY) !== 0);
  const slot = table[at + 4]!;
  if ((head & NEW_ITEM) !== 0) items[slot] = text.slice(table[at + 9]!, table[at + 10]!);
  return new PlainEvent(type, table[at + 1]!, items[slot]!, table[at + 2]!, head, table[at + 3]!, delta, page, (head & ALIKE) === 0 ? start : ~start, end, index, offset);
}

function nameOf(kind: number): string {
  return (types[kind] = core.kind_name(kind));
}

function parsed(kind: string, raw: string, names: string, index: number, offset: number, faulty: boolean): object {
  const event = faulty ? { type: "" } : names === "" ? (JSON.parse(raw) as object) : later(raw, JSON.parse(names) as [string, unknown, ...string[]]);
  return new Known(event, { kind, raw, index, offset, fault: faulty ? "malformed" : null });
}

/** What an object that is parsed when somebody looks has beside its members: its payload, and itself, also behind a proxy. */
const LATER = Symbol("payload");

interface Later {
  [LATER]: { raw: string; names: string[]; event: object };
}

/**
 * The members of such objects, by name. All objects share them: the engine takes an object's own pair of functions for
 * something that lives long, and would keep the payload with it.
 */
const members = new Map<string, PropertyDescriptor>();

/** A stream that makes names up must not fill the memory with them. */
const MEMBERS = 256;

/** An object whose members are there by name, and parsed from a long payload when one of them is asked for. */
function later(raw: string, [type, number, ...names]: [string, unknown, ...string[]]): object {
  const event = Object.defineProperty({}, LATER, { configurable: true, value: null, writable: true }) as Later;
  event[LATER] = { raw, names, event };
  for (const name of names) {
    if (name === "type" && type !== "") define(event, name, type);
    else if (name === "sequence_number") define(event, name, number);
    else {
      const known = members.get(name) ?? memberOf(name);
      if (known === undefined) return JSON.parse(raw) as object;
      Object.defineProperty(event, name, known);
    }
  }
  return event;
}

function memberOf(name: string): PropertyDescriptor | undefined {
  if (members.size >= MEMBERS) return undefined;
  const member: ThisType<Later> & PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get() {
      return (filled(this[LATER]) as Record<string, unknown>)[name];
    },
    set(value) {
      define(filled(this[LATER]), name, value);
    },
  };
  members.set(name, member);
  return member;
}

/** Parses the payload, and makes all members plain data. */
function filled({ raw, names, event }: Later[typeof LATER]): object {
  const value = JSON.parse(raw) as Record<string, unknown>;
  for (const name of names) define(event, name, value[name]);
  return event;
}

function define(event: object, name: string, value: unknown): void {
  Object.defineProperty(event, name, { value, enumerable: true, configurable: true, writable: true });
}
