import * as core from "../gen/core.js";
import { call, DeltafoldError, Fatal } from "./error.js";
import { Grown, type ValueUpdate } from "./grown.js";

/** How an incomplete string, number or literal appears: its certain part, not at all, or as null. */
export type Unfinished = "include" | "omit" | "mark";

/** Options for incomplete JSON. */
export interface PartialOptions {
  /** Strings without their closing quote; `include` by default. */
  strings?: Unfinished;
  /** Numbers at the end of the text, which may continue; `omit` by default. */
  numbers?: Unfinished;
  /** Incomplete `true`, `false` and `null`; `omit` by default. */
  literals?: Unfinished;
  /** Maximum nesting depth; 128 by default. */
  depth?: number;
  /** Records changes for `takeChanges`; false by default. */
  record_changes?: boolean;
}

/** The type of a JSON value, as change notes and `unfinished` name it. */
export type JsonType = "null" | "true" | "false" | "number" | "string" | "array" | "object";

/**
 * A change of an incomplete value: its JSON pointer, and what happened to it. A value of a type started, empty; a string or the digits of a
 * number grew by a text; or the value is complete. Applied in order, the changes make the value.
 */
export type PartialChange = [path: string, change: "started", type: JsonType] | [path: string, change: "appended", text: string] | [path: string, change: "finished"];

/** Parses JSON text that may end anywhere and returns the value so far; undefined if there is no value yet. */
export function partialJson(text: string, options: PartialOptions = {}): unknown {
  const partial = new PartialJson(options);
  try {
    partial.push(text);
  } catch (error) {
    // The result is the value before the error in the text.
    if (!(error instanceof DeltafoldError) || error instanceof Fatal) throw error;
  }
  const { value } = partial;
  partial.free();
  return value;
}

/** Parses JSON text that arrives in pieces. Parsing takes time in proportion to the length of each piece. */
export class PartialJson {
  /** @internal */
  static readonly name: string = "PartialJson";
  #core: core.PartialJson;
  readonly #options: string;
  #grown = new Grown();

  /** Creates a parser without text. */
  constructor(options: PartialOptions = {}) {
    this.#options = JSON.stringify(options);
    this.#core = call(() => new core.PartialJson(this.#options));
  }

  /** Takes the next piece. Throws if the text is not JSON, and then at every later call; the value before the error stays. */
  push(piece: string): void {
    call(() => this.#core.push(piece, false));
  }

  /** Ends the text; throws if it is not one complete JSON value. */
  finish(): void {
    call(() => this.#core.push("", true));
  }

  /** Resets to the empty text. */
  reset(): void {
    this.#core.free();
    this.#core = call(() => new core.PartialJson(this.#options));
    this.#grown = new Grown();
  }

  /**
   * The value so far; undefined if there is none yet. Parts that did not change are the same objects as at the last access, which costs what
   * is new and a shallow copy of each open object and array.
   */
  get value(): unknown {
    const update = this.#core.query(core.PartialQuery.Update);
    if (update !== "") this.#grown.apply(JSON.parse(update) as ValueUpdate);
    return this.#grown.value;
  }

  /** True if the value is complete. */
  get complete(): boolean {
    return this.#core.query(core.PartialQuery.Complete) === "true";
  }

  /** The value so far as JSON text with the digits of the input; empty if there is none yet. */
  get json(): string {
    return this.#core.query(core.PartialQuery.Value);
  }

  /** Returns the changes since the last call, if the option `record_changes` is set. */
  takeChanges(): PartialChange[] {
    return JSON.parse(this.#core.query(core.PartialQuery.Changes)) as PartialChange[];
  }

  /** The innermost incomplete value: its JSON pointer and type; null if there is none. */
  get unfinished(): { path: string; type: JsonType } | null {
    const found = JSON.parse(this.#core.query(core.PartialQuery.Unfinished)) as [path: string, type: JsonType] | null;
    return found === null ? null : { path: found[0], type: found[1] };
  }

  /** Frees the memory in the module. */
  free(): void {
    this.#core.free();
  }
}
