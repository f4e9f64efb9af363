/* Structured output: a value that grows while its JSON text arrives, and the check of the whole value by a Standard Schema. */

import { SchemaViolation } from "./error.js";
import type { Reader } from "./reader.js";

/** The part of the Standard Schema interface (https://standardschema.dev) that is used here. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The members of the standard, under the name that it prescribes. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema says of a value. */
export type SchemaResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** Why a value does not match a schema. */
export interface SchemaIssue {
  /** What is wrong, in the words of the schema library; it may quote the value. */
  readonly message: string;
  /** Where in the value; the whole value if absent. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Types<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>;

/** The type of the values that a schema takes. */
export type SchemaInput<S extends StandardSchema> = Types<S>["input"];

/** The type of the values that a schema gives. */
export type SchemaOutput<S extends StandardSchema> = Types<S>["output"];

/** A value that is still growing: every member and element may be absent or incomplete. */
export type DeepPartial<T> = T extends string | number | boolean | bigint | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly DeepPartial<E>[]
    : T extends object
      ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
      : unknown;

/** Which text of the response is the structured output. By default the first text part of the first message. */
export interface TextPlace {
  /** The output position of the message. */
  item?: number;
  /** The position of the part in the message. */
  part?: number;
}

/** @internal */
export interface PartialSource extends AsyncIterator<unknown, undefined> {
  readonly reader: Reader;
  throwIfFailed(): unknown;
}

/**
 * Iterates over a structured output while it grows; the result of `events.parsePartial(schema)`.
 *
 * Each result differs from the one before, and shares all parts that did not change with it. The values are typed by the schema but not
 * checked by it: what has not arrived cannot be checked. `value()` checks the whole.
 *
 * @hideconstructor
 */
export class PartialStream<S extends StandardSchema> implements AsyncIterableIterator<DeepPartial<SchemaInput<S>>> {
  /** @internal */
  static readonly name: string = "PartialStream";
  readonly #schema: S;
  readonly #source: PartialSource;
  readonly #place: TextPlace;
  #item: number;
  #part: number;
  #found: boolean;
  #newest: unknown;

  /** @internal */
  constructor(schema: S, source: PartialSource, place: TextPlace) {
    this.#schema = schema;
    this.#source = source;
    this.#place = place;
    this.#item = place.item ?? 0;
    this.#part = place.part ?? 0;
    this.#found = place.item !== undefined && place.part !== undefined;
  }

  /** The value so far; undefined before its first character. */
  get partial(): DeepPartial<SchemaInput<S>> | undefined {
    return this.#newest as DeepPartial<SchemaInput<S>> | undefined;
  }

  /** Returns the iterator itself, for `for await`. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the value after the next event that changed it. */
  async next(): Promise<IteratorResult<DeepPartial<SchemaInput<S>>, undefined>> {
    for (;;) {
      const { done } = await this.#source.next();
      if (this.#read()) return { value: this.#newest as DeepPartial<SchemaInput<S>>, done: false };
      if (done) return { value: undefined, done: true };
    }
  }

  /** Ends the iteration and cancels the source. */
  async return(): Promise<IteratorResult<DeepPartial<SchemaInput<S>>, undefined>> {
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  /**
   * Reads to the end and returns the value that the schema makes of the whole text.
   *
   * Throws `ResponseFailed` if the stream failed or is truncated, and `SchemaViolation` if the text is not JSON or does not match.
   */
  async value(): Promise<SchemaOutput<S>> {
    while (!(await this.next()).done);
    this.#source.throwIfFailed();
    const text = this.#text();
    let parsed: unknown;
    try {
      parsed = JSON.parse(text ?? "");
    } catch {
      throw new SchemaViolation(text === undefined ? "the response has no text" : "the text of the response is not complete JSON", []);
    }
    const result = await this.#schema["~standard"].validate(parsed);
    if (result.issues !== undefined) throw new SchemaViolation(`the value does not match the schema, in ${result.issues.length} places`, result.issues);
    return result.value as SchemaOutput<S>;
  }

  /** Reads the value so far; true if it has changed. */
  #read(): boolean {
    const { reader } = this.#source;
    if (!this.#found && !this.#find(reader)) return false;
    const value = reader.partialText(this.#item, this.#part);
    if (value === undefined || value === this.#newest) return false;
    this.#newest = value;
    return true;
  }

  #find(reader: Reader): boolean {
    const { output } = reader.response ?? {};
    const item = output?.findIndex((item, at) => item.type === "message" && (this.#place.item ?? at) === at) ?? -1;
    const message = output?.[item];
    if (message?.type !== "message") return false;
    const part = message.content.findIndex((part, at) => part.type === "output_text" && (this.#place.part ?? at) === at);
    if (part < 0) return false;
    [this.#item, this.#part, this.#found] = [item, part, true];
    return true;
  }

  #text(): string | undefined {
    if (!this.#found) return undefined;
    const item = this.#source.reader.response?.output[this.#item];
    const part = item?.type === "message" ? item.content[this.#part] : undefined;
    return part?.type === "output_text" ? part.text : undefined;
  }
}

