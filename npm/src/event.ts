/* Events as objects: plain deltas are made from numbers, everything else is parsed from its payload text. */

import * as core from "../gen/core.js";
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
export const ROW = 13;

const types: string[] = [];

/** A delta whose routing fields are data; what is seldom asked for is read from the payload. */
class PlainEvent {
  /* The fields are only declared: a class field would be set twice. The text is that of the whole batch, and holds the payload. */
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  readonly #index: number;
  readonly #offset: number;
  declare readonly type: string;
  declare readonly sequence_number: number;
  declare readonly item_id: string;
  declare readonly output_index: number;
  declare readonly delta: string;

  constructor(type: string, number: number, item: string, output: number, delta: string, text: string, start: number, end: number, index: number, offset: number) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#index = index;
    this.#offset = offset;
    this.type = type;
    this.sequence_number = number;
    this.item_id = item;
    this.output_index = output;
    this.delta = delta;
  }

  get logprobs(): unknown {
    return payloadOf(this)["logprobs"];
  }

  get obfuscation(): unknown {
    return payloadOf(this)["obfuscation"];
  }

  toJSON(): unknown {
    return JSON.parse(this.#text.slice(this.#start, this.#end));
  }

  static info(event: object): EventInfo | undefined {
    if (!(#text in event)) return undefined;
    return { kind: event.type, raw: event.#text.slice(event.#start, event.#end), index: event.#index, offset: event.#offset, fault: null };
  }
}

class ContentDelta extends PlainEvent {
  declare readonly content_index: number;

  constructor(type: string, number: number, item: string, output: number, content: number, delta: string, text: string, start: number, end: number, index: number, offset: number) {
    super(type, number, item, output, delta, text, start, end, index, offset);
    this.content_index = content;
  }
}

class SummaryDelta extends PlainEvent {
  declare readonly summary_index: number;

  constructor(type: string, number: number, item: string, output: number, summary: number, delta: string, text: string, start: number, end: number, index: number, offset: number) {
    super(type, number, item, output, delta, text, start, end, index, offset);
    this.summary_index = summary;
  }
}

/** Payloads that were parsed because somebody asked for a rare field: its objects are the same at the next look. */
const payloads = new WeakMap<PlainEvent, Record<string, unknown>>();

function payloadOf(event: PlainEvent): Record<string, unknown> {
  let payload = payloads.get(event);
  if (payload === undefined) payloads.set(event, (payload = event.toJSON() as Record<string, unknown>));
  return payload;
}

const infos = new WeakMap<object, EventInfo>();

/**
 * Returns the payload text, position and byte offset of an event; undefined for an object that no reader made.
 *
 * The event itself has the wire's fields and nothing else.
 */
export function eventInfo(event: object): EventInfo | undefined {
  return PlainEvent.info(event) ?? infos.get(event);
}

/** The events of a batch, in order; `items` holds the item ids of the reader by slot. */
export function eventsOf(table: Uint32Array, start: number, count: number, first: number, text: string, items: string[]): StreamEvent[] {
  const events: unknown[] = [];
  for (let i = 0, at = start; i < count; i++, at += ROW) events.push(eventAt(table, at, first + i, text, items));
  return events as StreamEvent[];
}

function eventAt(table: Uint32Array, at: number, index: number, text: string, items: string[]): object {
  const head = table[at]!;
  const start = table[at + 5]!;
  const end = table[at + 6]!;
  const high = table[at + 12]!;
  const offset = high === 0 ? table[at + 11]! : table[at + 11]! + high * 4294967296;
  const type = types[head & 255] ?? nameOf(head & 255);
  const delta = text.slice(table[at + 7]!, table[at + 8]!);
  if ((head & PLAIN) === 0) return parsed(type, text.slice(start, end), delta, index, offset, (head & FAULTY) !== 0);
  const slot = table[at + 4]!;
  if (head & NEW_ITEM) items[slot] = text.slice(table[at + 9]!, table[at + 10]!);
  const item = items[slot]!;
  const number = table[at + 1]!;
  const output = table[at + 2]!;
  if (head & CONTENT) return new ContentDelta(type, number, item, output, table[at + 3]!, delta, text, start, end, index, offset);
  if (head & SUMMARY) return new SummaryDelta(type, number, item, output, table[at + 3]!, delta, text, start, end, index, offset);
  return new PlainEvent(type, number, item, output, delta, text, start, end, index, offset);
}

function nameOf(kind: number): string {
  return (types[kind] = core.kind_name(kind));
}

function parsed(kind: string, raw: string, names: string, index: number, offset: number, faulty: boolean): object {
  const event = faulty ? { type: "" } : names === "" ? (JSON.parse(raw) as object) : later(raw, JSON.parse(names) as [string, unknown, ...string[]]);
  infos.set(event, { kind, raw, index, offset, fault: faulty ? "malformed" : null });
  return event;
}

/** An object whose members are there by name, and parsed from a long payload when one of them is asked for. */
function later(raw: string, [type, number, ...names]: [string, unknown, ...string[]]): object {
  const event = {};
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(event, name, { value, enumerable: true, configurable: true, writable: true });
  };
  const fill = (): void => {
    const value = JSON.parse(raw) as Record<string, unknown>;
    for (const name of names) define(name, value[name]);
  };
  for (const name of names) {
    if (name === "type" && type !== "") define(name, type);
    else if (name === "sequence_number") define(name, number);
    else {
      Object.defineProperty(event, name, {
        enumerable: true,
        configurable: true,
        get() {
          fill();
          return (event as Record<string, unknown>)[name];
        },
        set(value) {
          fill();
          define(name, value);
        },
      });
    }
  }
  return event;
}
