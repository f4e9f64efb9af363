/* The response as plain objects. Unchanged parts are the same objects as before, so `===` shows what must be rendered again. */

import type { Item, ResponseObject } from "./types.js";

type Json = Record<string, unknown>;

/** The newest snapshot and the JSON texts that it was built from. */
export class Snapshot {
  response: ResponseObject | null = null;
  #fields = "";
  #items: string[] = [];

  /** Applies the changes since the last call, in the format of bindings/wasm/src/snapshot.rs. */
  apply(changes: string): void {
    if (changes === "") return;
    const parsed = JSON.parse(changes) as Ends | Whole;
    if (Array.isArray(parsed)) this.#grow(parsed);
    else this.#replace(parsed);
  }

  #grow(ends: Ends): void {
    const output = (this.response as unknown as { output: Json[] }).output.slice();
    for (const [at, name, part, end] of ends) {
      const item = { ...output[at]! };
      this.#items[at] = "";
      if (part === null) {
        item[name] = (item[name] as string) + end;
      } else {
        const parts = (item[name] as Json[]).slice();
        const old = parts[part]!;
        const field = typeof old["text"] === "string" ? "text" : "refusal";
        parts[part] = { ...old, [field]: (old[field] as string) + end };
        item[name] = parts;
      }
      output[at] = item;
    }
    this.response = { ...this.response, output } as unknown as ResponseObject;
  }

  #replace({ fields, output }: Whole): void {
    const before = this.response as unknown as (Json & { output?: Item[] }) | null;
    const text = JSON.stringify(fields);
    const same = before !== null && text === this.#fields;
    const items = output?.map((json, at) => {
      const old = before?.output?.[at];
      if (old !== undefined && this.#items[at] === json) return old;
      return shared(old, JSON.parse(json)) as Item;
    });
    const kept = items !== undefined && before?.output?.length === items.length && items.every((item, at) => item === before.output![at]);
    this.#fields = text;
    this.#items = output ?? [];
    if (same && (items === undefined || kept)) return;
    const next: Json = { ...(before === null ? fields : (shared(before, { ...fields, output: before.output }) as Json)) };
    if (items === undefined) delete next["output"];
    else next["output"] = kept ? before!.output : items;
    this.response = Object.keys(next).length === 0 ? null : (next as unknown as ResponseObject);
  }
}

type Ends = [at: number, name: string, part: number | null, end: string][];
interface Whole {
  fields: Json;
  output: string[] | null;
}

/** Returns the new value, with every part that equals the old one replaced by the old object. */
export function shared(old: unknown, value: unknown): unknown {
  if (Object.is(old, value)) return old;
  if (typeof old !== "object" || typeof value !== "object" || old === null || value === null) return value;
  if (Array.isArray(old) !== Array.isArray(value)) return value;
  const names = Object.keys(value);
  let same = names.length === Object.keys(old).length;
  for (const name of names) {
    const mine = Object.hasOwn(old, name) ? (old as Json)[name] : undefined;
    const next = shared(mine, (value as Json)[name]);
    if (next !== mine || !Object.hasOwn(old, name)) same = false;
    if (next !== (value as Json)[name]) Object.defineProperty(value, name, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return same ? old : value;
}
