/* The layout of a batch in the module's memory, and the payloads of plain events. */

import { type Bytes, bytesAt, utf8, wordView } from "./memory.js";

/* Fields of a batch header; bindings/wasm/src/batch.rs has the same list. */
export const TABLE_AT = 0;
export const TEXT_AT = 1;
export const TEXT_BYTES = 2;
export const FLAGS = 3;
export const PAGE_AT = 4;
export const PAGE_BYTES = 5;
/** The size of the response of a finished reader. */
export const RESPONSE_BYTES = 6;

/* Flags of a batch header: the text is not ASCII, reading has ended, the next batch starts a new page. */
export const WIDE = 1;
export const STOPPED = 2;
export const FULL = 4;

/* The record before a payload, as bindings/wasm/src/page.rs writes it: base payload, event index, offset, lengths. */
const INDEX = 4;
const OFFSET = 8;
const LENGTHS = 16;
const RECORD = 24;

/**
 * The payloads of plain events as bytes: in the module's memory while the page grows, copied here when it is full.
 *
 * Few programs read payloads of deltas. So a page is copied as a whole, and a payload becomes a string only on access.
 */
export class Page {
  #bytes: Bytes | null = null;
  readonly #head: number;
  /** The module's reader, which must not be collected before the page is copied. */
  #reader: object | null;

  constructor(reader: object, head: number) {
    this.#reader = reader;
    this.#head = head;
  }

  /** Copies the bytes out of the module. */
  take(): void {
    this.#bytes = this.#inModule();
    this.#reader = null;
  }

  /** Returns the payload whose record is at a position. */
  text(at: number): string {
    const bytes = this.#bytes ?? this.#inModule();
    const base = number(bytes, at, 4);
    if (base !== 0) return fromBase(bytes, at, base);
    return utf8(bytes, at + RECORD, at + RECORD + number(bytes, at + LENGTHS, 6));
  }

  /** Position of the event in the stream, from 0. */
  index(at: number): number {
    return number(this.#bytes ?? this.#inModule(), at + INDEX, 4);
  }

  /** Byte offset of the payload. */
  offset(at: number): number {
    return number(this.#bytes ?? this.#inModule(), at + OFFSET, 7);
  }

  #inModule(): Bytes {
    const words = wordView();
    return bytesAt(words[this.#head + PAGE_AT]!, words[this.#head + PAGE_BYTES]!);
  }
}

/** Reads a little-endian number. Seven bytes are enough for every safe integer. */
function number(bytes: Bytes, at: number, length: number): number {
  let value = 0;
  for (let i = length; i-- > 0; ) value = value * 256 + byteAt(bytes, at + i);
  return value;
}

function byteAt(bytes: Bytes, at: number): number {
  return typeof bytes === "string" ? bytes.charCodeAt(at) : bytes[at]!;
}

/* The layout of a base payload: number of gaps, length, start and end of each gap, then its record and text. */
const GAPS = 4;
const HEAD = 4 + 4 * GAPS;

/** Builds a payload from its base payload and its own text in the gaps of the base. */
function fromBase(bytes: Bytes, at: number, base: number): string {
  const short = (at: number): number => number(bytes, at, 2);
  const payload: number[] = [];
  const copy = (from: number, to: number): void => {
    for (let i = from; i < to; i++) payload.push(byteAt(bytes, i));
  };
  const head = base - RECORD - HEAD;
  let own = at + RECORD;
  let from = base;
  for (let gap = 0; gap < short(head); gap++) {
    copy(from, base + short(head + 4 + 4 * gap));
    copy(own, (own += short(at + LENGTHS + 2 * gap)));
    from = base + short(head + 6 + 4 * gap);
  }
  copy(from, base + short(head + 2));
  return utf8(Uint8Array.from(payload), 0, payload.length);
}
