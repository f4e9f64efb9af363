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

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const types: string[] = [];

/** A delta whose routing fields are data; what is seldom asked for is read from the payload. */
class PlainEvent {
  readonly #raw: string;
  readonly #index: number;
  readonly #offset: number;
  #parsed: Record<string, unknown> | undefined;
  readonly type: string;
  readonly sequence_number: number;
  readonly item_id: string;
  readonly output_index: number;
  readonly delta: string;

  constructor(type: string, number: number, item: string, output: number, delta: string, raw: string, index: number, offset: number) {
    this.type = type;
    this.sequence_number = number;
    this.item_id = item;
    this.output_index = output;
    this.delta = delta;
    this.#raw = raw;
    this.#index = index;
    this.#offset = offset;
  }

  get logprobs(): unknown {
    return this.#payload()["logprobs"];
  }

  get obfuscation(): unknown {
    return this.#payload()["obfuscation"];
  }

  toJSON(): unknown {
    return JSON.parse(this.#raw);
  }

  #payload(): Record<string, unknown> {
    return (this.#parsed ??= JSON.parse(this.#raw) as Record<string, unknown>);
  }

  static info(event: object): EventInfo | undefined {
    return #raw in event
      ? { kind: event.type, raw: event.#raw, index: event.#index, offset: event.#offset, fault: null }
      : undefined;
  }
}

class ContentDelta extends PlainEvent {
  readonly content_index: number;

  constructor(type: string, number: number, item: string, output: number, content: number, delta: string, raw: string, index: number, offset: number) {
    super(type, number, item, output, delta, raw, index, offset);
    this.content_index = content;
  }
}

class SummaryDelta extends PlainEvent {
  readonly summary_index: number;

  constructor(type: string, number: number, item: string, output: number, summary: number, delta: string, raw: string, index: number, offset: number) {
    super(type, number, item, output, delta, raw, index, offset);
    this.summary_index = summary;
  }
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
export function eventsOf(table: Uint32Array, start: number, count: number, first: number, bytes: Uint8Array, items: string[]): StreamEvent[] {
  const text = UTF8.decode(bytes);
  const events = new Array<unknown>(count);
  for (let i = 0, at = start; i < count; i++, at += ROW) {
    const head = table[at]!;
    const raw = text.slice(table[at + 5]!, table[at + 6]!);
    const offset = table[at + 11]! + table[at + 12]! * 4294967296;
    const type = (types[head & 255] ??= core.kind_name(head & 255));
    if ((head & PLAIN) === 0) {
      events[i] = parsed(type, raw, text.slice(table[at + 7]!, table[at + 8]!), first + i, offset, (head & FAULTY) !== 0);
      continue;
    }
    const slot = table[at + 4]!;
    if (head & NEW_ITEM) items[slot] = text.slice(table[at + 9]!, table[at + 10]!);
    const item = items[slot]!;
    const delta = text.slice(table[at + 7]!, table[at + 8]!);
    const number = table[at + 1]!;
    const output = table[at + 2]!;
    if (head & CONTENT) {
      events[i] = new ContentDelta(type, number, item, output, table[at + 3]!, delta, raw, first + i, offset);
    } else if (head & SUMMARY) {
      events[i] = new SummaryDelta(type, number, item, output, table[at + 3]!, delta, raw, first + i, offset);
    } else {
      events[i] = new PlainEvent(type, number, item, output, delta, raw, first + i, offset);
    }
  }
  return events as StreamEvent[];
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
