/* What a batch leaves in the module: where its parts are, and the payloads that hardly anybody looks at. */

import { type Bytes, bytesAt, utf8, wordView } from "./memory.js";

/* Members of the header of a batch; bindings/wasm/src/batch.rs has the same list. */
export const TABLE_AT = 0;
export const TEXT_AT = 1;
export const TEXT_BYTES = 2;
export const FLAGS = 3;
export const PAGE_AT = 4;
export const PAGE_BYTES = 5;

/* Flags of the header: the text is not ASCII, reading has ended, the next batch begins a new page. */
export const WIDE = 1;
export const STOPPED = 2;
export const FULL = 4;

/* What stands before a payload, as bindings/wasm/src/page.rs writes it: its model, index and offset of the event, lengths. */
const INDEX = 4;
const OFFSET = 8;
const LENGTHS = 16;
const RECORD = 24;

/**
 * Payloads of plain events, in bytes: in the module while it adds to them, and then here.
 *
 * Deltas come by the thousand, and hardly anybody looks at what is not in their fields. So they are taken out of the module by
 * the page, and made a text where one is asked for.
 */
export class Page {
  #bytes: Bytes | null = null;
  readonly #head: number;
  /** The module's reader, which must not be collected before its page was taken. */
  #reader: object | null;

  constructor(reader: object, head: number) {
    this.#reader = reader;
    this.#head = head;
  }

  /** Takes the bytes out of the module. */
  take(): void {
    this.#bytes = this.#inside();
    this.#reader = null;
  }

  /** The payload whose record is at a position. */
  text(at: number): string {
    const bytes = this.#bytes ?? this.#inside();
    const model = number(bytes, at, 4);
    if (model !== 0) return alike(bytes, at, model);
    return utf8(bytes, at + RECORD, at + RECORD + number(bytes, at + LENGTHS, 6));
  }

  /** Position of the event in the stream, from 0. */
  index(at: number): number {
    return number(this.#bytes ?? this.#inside(), at + INDEX, 4);
  }

  /** Byte offset of the payload. */
  offset(at: number): number {
    return number(this.#bytes ?? this.#inside(), at + OFFSET, 7);
  }

  #inside(): Bytes {
    const words = wordView();
    return bytesAt(words[this.#head + PAGE_AT]!, words[this.#head + PAGE_BYTES]!);
  }
}

/** The number in so many bytes, the lowest one first. Seven are enough for what JavaScript can count. */
function number(bytes: Bytes, at: number, length: number): number {
  let value = 0;
  for (let i = length; i-- > 0; ) value = value * 256 + byteAt(bytes, at + i);
  return value;
}

function byteAt(bytes: Bytes, at: number): number {
  return typeof bytes === "string" ? bytes.charCodeAt(at) : bytes[at]!;
}

/* The form of a model: number of gaps and length, start and end of each gap, then its record and payload. */
const GAPS = 4;
const HEAD = 4 + 4 * GAPS;

/** A payload from its model, and from what it has in the gaps of that. */
function alike(bytes: Bytes, at: number, model: number): string {
  const short = (at: number): number => number(bytes, at, 2);
  const payload: number[] = [];
  const copy = (from: number, to: number): void => {
    for (let i = from; i < to; i++) payload.push(byteAt(bytes, i));
  };
  const head = model - RECORD - HEAD;
  let own = at + RECORD;
  let from = model;
  for (let gap = 0; gap < short(head); gap++) {
    copy(from, model + short(head + 4 + 4 * gap));
    copy(own, (own += short(at + LENGTHS + 2 * gap)));
    from = model + short(head + 6 + 4 * gap);
  }
  copy(from, model + short(head + 2));
  return utf8(Uint8Array.from(payload), 0, payload.length);
}
