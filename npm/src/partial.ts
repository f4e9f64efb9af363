import * as core from "../gen/core.js";
import { call, DeltafoldError, Fatal } from "./error.js";

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
  const partial = new PartialJson(options);
  try {
    partial.push(text);
  } catch (error) {
    // The value up to an error in the text is what was asked for.
    if (!(error instanceof DeltafoldError) || error instanceof Fatal) throw error;
  }
  const { value } = partial;
  partial.free();
  return value;
}

/** Reads JSON text that is still growing; each piece costs its own length. */
export class PartialJson {
  #core: core.PartialJson;
  readonly #options: string;

  constructor(options: PartialOptions = {}) {
    this.#options = JSON.stringify(options);
    this.#core = call(() => new core.PartialJson(this.#options));
  }

  /** Takes the next piece. Throws where the text is not JSON, and at every call from there on; the value before it stays. */
  push(piece: string): void {
    call(() => this.#core.push(piece, false));
  }

  /** Says that the text has ended; throws if it is not one JSON value. */
  finish(): void {
    call(() => this.#core.push("", true));
  }

  /** Starts again with no text. */
  reset(): void {
    this.#core.free();
    this.#core = call(() => new core.PartialJson(this.#options));
  }

  /** The value so far; undefined if none has begun to show. */
  get value(): unknown {
    const { json } = this;
    return json === "" ? undefined : JSON.parse(json);
  }

  /** Whether the value is whole. */
  get complete(): boolean {
    return this.#core.ask(core.AskPartial.Complete) === "true";
  }

  /** The value so far as JSON text, with numbers as they were written; empty if none has begun to show. */
  get json(): string {
    return this.#core.ask(core.AskPartial.Value);
  }

  /** What changed since the last call, if the options ask for notes. */
  takeChanges(): unknown[] {
    return JSON.parse(this.#core.ask(core.AskPartial.Changes)) as unknown[];
  }

  /** The innermost value that is not finished, as JSON pointer and type; null without one. */
  get unfinished(): { path: string; type: string } | null {
    const found = JSON.parse(this.#core.ask(core.AskPartial.Unfinished)) as [path: string, type: string] | null;
    return found === null ? null : { path: found[0], type: found[1] };
  }

  /** Gives the memory back. */
  free(): void {
    this.#core.free();
  }
}
