import * as core from "../gen/core.js";
import { call } from "./error.js";

/** What stands for a string, number or literal that is not finished: what is sure of it, nothing, or null. */
export type Unfinished = "include" | "omit" | "mark";

/** How unfinished JSON is shown. */
export interface PartialOptions {
  /** Strings without their closing quote; `include` by default. */
  strings?: Unfinished;
  /** Numbers that may go on; `omit` by default. */
  numbers?: Unfinished;
  /** `true`, `false` and `null` cut short; `omit` by default. */
  literals?: Unfinished;
  /** Open containers at most; 128 by default. */
  depth?: number;
  /** Whether changes are noted for `takeChanges`; false by default. */
  notes?: boolean;
}

/** Reads JSON text that may be cut anywhere and returns the value so far; undefined if no value has begun to show. */
export function partialJson(text: string, options: PartialOptions = {}): unknown {
  const json = call(() => core.partial_json(text, JSON.stringify(options)));
  return json === "" ? undefined : JSON.parse(json);
}

/** Reads JSON text that is still growing; each piece costs its own length. */
export class PartialJson {
  readonly #core: core.PartialJson;

  constructor(options: PartialOptions = {}) {
    this.#core = call(() => new core.PartialJson(JSON.stringify(options)));
  }

  /** Takes the next piece. Throws where the text is not JSON, and at every call from there on; the value before it stays. */
  push(piece: string): void {
    call(() => this.#core.push(piece));
  }

  /** Says that the text has ended; throws if it is not one JSON value. */
  finish(): void {
    call(() => this.#core.finish());
  }

  /** Starts again with no text. */
  reset(): void {
    this.#core.reset();
  }

  /** The value so far; undefined if none has begun to show. */
  get value(): unknown {
    const json = this.#core.value();
    return json === "" ? undefined : JSON.parse(json);
  }

  /** Whether the value is whole. */
  get complete(): boolean {
    return this.#core.is_complete();
  }

  /** The value so far as JSON text, with numbers as they were written; empty if none has begun to show. */
  get json(): string {
    return this.#core.value();
  }

  /** What changed since the last call, if the options ask for notes. */
  takeChanges(): unknown[] {
    return JSON.parse(this.#core.changes()) as unknown[];
  }

  /** The innermost value that is not finished, as JSON pointer and type; null without one. */
  get unfinished(): { path: string; type: string } | null {
    const found = this.#core.unfinished();
    if (found === "") return null;
    const [path, type] = JSON.parse(found) as [string, string];
    return { path, type };
  }

  /** Gives the memory back. */
  free(): void {
    this.#core.free();
  }
}
