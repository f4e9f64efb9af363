// Shared by the checks: the list of converted streams, and a count of the streams that were read.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deepEqual } from "node:assert/strict";

const folder = process.argv[2];
if (!folder) throw new Error("expected the folder of convert-all as argument");
const all = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));

/** Reads every stream of a target with `read` and fails with the stream's name. */
export async function each(target, read) {
  let count = 0;
  for (const one of all.filter((one) => one.to === target)) {
    try {
      await read(one, readFileSync(join(folder, one.path)));
    } catch (error) {
      throw new Error(`${one.name} (${one.path})`, { cause: error });
    }
    count += 1;
  }
  if (count < 100) throw new Error(`only ${count} streams for ${target}`);
  console.log(`${target}: ${count} streams read`);
}

/** Findings that explain why the folded response differs from the stream. */
const reasons = [
  "done_mismatch", "delta_type_mismatch", "item_dropped", "event_after_item_done", "event_after_terminal",
  "duplicate_item_added", "item_id_changed", "tool_call_without_name", "media_dropped",
];

/** True if a client should collect the content of the folded response. */
export const comparable = (one) =>
  !one.findings.some((code) => reasons.includes(code)) && one.calls.every(([id, name]) => id && name);

/** True if parts and items come one after another, as from servers; some vectors of this project interleave them. */
export const orderly = (one) => !one.name.startsWith("adapter/");

/** Compares text and calls with those of the folded response. Half a character at a failure is left out. */
export function same(one, text, calls) {
  const expected = one.outcome === "failed" ? one.text.replace(/\uFFFD$/, "") : one.text;
  if (comparable(one)) deepEqual({ text, calls }, { text: expected, calls: one.calls });
}
