/* What a batch leaves in the module: where its parts are, and the payloads that hardly anybody looks at. */

import { type Bytes, bytesAt, textAt, utf8, wordView } from "./memory.js";

/* Members of the header of a batch; bindings/wasm/src/batch.rs has the same list. */
export const TABLE_AT = 0;
export const TEXT_AT = 1;
export const TEXT_BYTES = 2;
export const STOPPED = 3;
export const FIRST = 4;
export const TEXT_ASCII = 5;
export const PAGE_AT = 6;
export const PAGE_BYTES = 7;

/** A page with so many bytes is full: the next batch begins a new one. bindings/wasm/src/page.rs has the same number. */
const FULL = 1 << 14;

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

  /** Whether it is to be taken before the next batch. */
  get full(): boolean {
    return wordView()[this.#head + PAGE_BYTES]! >= FULL;
  }

  /** Takes the bytes out of the module. */
  take(): void {
    this.#bytes = this.#inside();
    this.#reader = null;
  }

  /** The payload between two positions; from a negative one on, the payload that says there how it differs from its model. */
  text(start: number, end: number): string {
    if (start < 0) return alike(this.#bytes ?? this.#inside(), ~start);
    if (this.#bytes !== null) return utf8(this.#bytes, start, end);
    return textAt(wordView()[this.#head + PAGE_AT]! + start, end - start, false);
  }

  #inside(): Bytes {
    const words = wordView();
    return bytesAt(words[this.#head + PAGE_AT]!, words[this.#head + PAGE_BYTES]!);
  }
}

/* The form of a model, as page.rs writes it: number of gaps and length, start and end of each gap, then the payload. */
const GAPS = 4;
const HEAD = 4 + 4 * GAPS;

/** A payload from its model, and from what it has in the gaps of that. */
function alike(bytes: Bytes, at: number): string {
  const byte = (at: number): number => (typeof bytes === "string" ? bytes.charCodeAt(at) : bytes[at]!);
  const short = (at: number): number => byte(at) + byte(at + 1) * 256;
  const payload: number[] = [];
  const copy = (from: number, to: number): void => {
    for (let i = from; i < to; i++) payload.push(byte(i));
  };
  const model = short(at) + short(at + 2) * 65536;
  const head = model - HEAD;
  let own = at + 4 + 2 * GAPS;
  let from = model;
  for (let gap = 0; gap < short(head); gap++) {
    copy(from, model + short(head + 4 + 4 * gap));
    copy(own, (own += short(at + 4 + 2 * gap)));
    from = model + short(head + 6 + 4 * gap);
  }
  copy(from, model + short(head + 2));
  return utf8(Uint8Array.from(payload), 0, payload.length);
}
