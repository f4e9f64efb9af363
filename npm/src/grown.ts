/* Growing JSON as plain values that share what did not change. bindings/wasm/src/growing.rs says what is new. */

import { shared } from "./snapshot.js";

type Json = Record<string, unknown> | unknown[];

type Way = (string | number | null)[];

/**
 * What is new in a value. Everything; or the new children of each open container, outermost first, and the change of the last leaf: none,
 * more text, or another value. Then the way to the last leaf, from the first container whose last child is another one.
 */
export type ValueUpdate = [0, unknown, Way] | [1, (unknown[] | [string, unknown][])[], 0 | 2 | 3, unknown, Way];

/** A container on the way to the last leaf, and the key of its last child; null if it is empty. */
interface Open {
  container: Json;
  last: string | number | null;
}

/** A value that grows. Every change makes new objects on the way to it and leaves the old ones as they are. */
export class Grown {
  value: unknown;
  /** The containers on the way to the last leaf, outermost first. */
  #open: Open[] = [];

  /** Applies what is new. A whole value shares what is equal with the value before it. */
  apply(update: ValueUpdate, before?: unknown): unknown {
    if (update[0] === 0) {
      this.value = shared(before, update[1]);
      this.#open = [];
      this.#descend(this.value, update[2]);
      return this.value;
    }
    const [, children, leaf, change, way] = update;
    const grown = children.findIndex((list) => list.length > 0);
    let changed = this.#open.length;
    // Without a change of the leaf, the containers below the last one that grew stay.
    if (leaf === 0) while (changed > 0 && (children[changed - 1] ?? []).length === 0) changed--;
    if (changed === 0 && leaf === 0) return this.value;
    const open = this.#open;
    for (let level = 0; level < changed; level++) {
      const { container } = open[level]!;
      open[level]!.container = Array.isArray(container) ? container.slice() : { ...container };
    }
    if (leaf !== 0) {
      const end = open.at(-1);
      const before = end === undefined ? this.value : get(end);
      const after = leaf === 2 ? (before as string) + (change as string) : change;
      if (end === undefined) this.value = after;
      else set(end.container, end.last!, after);
      if (grown < 0 && leaf === 3) this.#descend(after, way);
    }
    for (let level = changed; level-- > 0; ) {
      if (level === 0) this.value = open[0]!.container;
      else set(open[level - 1]!.container, open[level - 1]!.last!, open[level]!.container);
    }
    for (const [level, list] of children.entries()) {
      const { container } = open[level]!;
      if (Array.isArray(container)) for (const child of list) container.push(child);
      else for (const [key, child] of list as [string, unknown][]) set(container, key, child);
    }
    if (grown >= 0) {
      const { container } = open[grown]!;
      open.length = grown;
      this.#descend(container, way);
    }
    return this.value;
  }

  /** Remembers the containers on the way to the last leaf of a value. */
  #descend(value: unknown, way: Way): void {
    for (const last of way) {
      const open = { container: value as Json, last };
      this.#open.push(open);
      if (last !== null) value = get(open);
    }
  }
}

function get({ container, last }: Open): unknown {
  return (container as Record<string | number, unknown>)[last!];
}

/** Sets a member, also one that is called `__proto__`. */
function set(container: Json, key: string | number, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  else (container as Record<string | number, unknown>)[key] = value;
}

/** As many growing texts as the module remembers. */
const MAX_GROWN = 64;

/** The growing values of a reader, by the mark of their parsers. */
export class GrownTexts {
  readonly #values = new Map<number, Grown>();
  /** The newest value by the place in the response. */
  readonly #newest = new Map<string, unknown>();

  /** Applies what is new, which is a list of the mark and the members of `ValueUpdate`, and returns the value; undefined if there is none. */
  apply(json: string, place: string): unknown {
    if (json === "") return undefined;
    const [mark, ...update] = JSON.parse(json) as [number, ...ValueUpdate];
    let grown = this.#values.get(mark);
    if (grown === undefined) {
      if (this.#values.size === MAX_GROWN) this.#values.clear();
      this.#values.set(mark, (grown = new Grown()));
    }
    // A terminal event replaces every text, mostly by an equal one, and its parser has another mark.
    const value = grown.apply(update as ValueUpdate, update[0] === 0 ? this.#newest.get(place) : undefined);
    if (this.#newest.size > MAX_GROWN) this.#newest.clear();
    this.#newest.set(place, value);
    return value;
  }
}
