// The hook of deltafold/react, run by React itself: here the newest version, and in packaging/oldest.mjs the oldest one that is supported.
// test/browser/react.test.mjs runs it in a page.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { createElement, memo } from "react";
import { act, create } from "react-test-renderer";

import { useResponse } from "deltafold/react";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// The renderer would tell that it is going out of fashion.
globalThis.IS_REACT_NATIVE_TEST_ENVIRONMENT = true;

const utf8 = new TextEncoder();
const delta = (number, item, text) => `data: ${JSON.stringify({ type: "response.output_text.delta", sequence_number: number, item_id: `msg_${item}`, output_index: item, content_index: 0, delta: text })}\n\n`;

let frames = new Map();
let body;
let cancelled;
let drawn;
let hook;
let ends;

beforeEach(() => {
  [frames, cancelled, drawn, hook, ends] = [new Map(), false, [], null, []];
  let last = 0;
  globalThis.requestAnimationFrame = (draw) => (frames.set(++last, draw), last);
  globalThis.cancelAnimationFrame = (frame) => void frames.delete(frame);
});
afterEach(() => {
  delete globalThis.requestAnimationFrame;
  delete globalThis.cancelAnimationFrame;
});
/** What `fetch` would give: `body` is the other end of it. */
const request = () => new ReadableStream({ start: (out) => void (body = out), cancel: () => void (cancelled = true) });

const Item = memo(({ item }) => {
  drawn.push(item.id);
  return item.content[0].text;
});
function Chat() {
  hook = useResponse({ onEnd: (state) => ends.push(state.status) });
  const { status, response, outcome, error } = hook;
  const items = response?.output.map((item) => createElement(Item, { key: item.id, item })) ?? [];
  return [status, ...items, outcome && `(${outcome.outcome})`, error && `(${error.message})`];
}

const turn = () => act(() => new Promise((resolve) => setTimeout(resolve, 5)));
const send = (...texts) => (body.enqueue(utf8.encode(texts.join(""))), turn());
const screen = () =>
  act(() => {
    const draws = [...frames.values()];
    frames.clear();
    for (const draw of draws) draw();
  });
const shown = (page) => [page.toJSON() ?? []].flat().join(" ");

async function mounted() {
  let page;
  await act(() => void (page = create(createElement(Chat), { unstable_isConcurrent: true })));
  await turn();
  await act(() => hook.send(request));
  await turn();
  return page;
}

test("the hook draws once per frame, and only the items that grew", async () => {
  const page = await mounted();
  await send(delta(0, 0, "Hel"), delta(1, 0, "lo"), delta(2, 1, "wor"));
  assert.deepEqual([shown(page), frames.size], ["streaming", 1]);
  await screen();
  assert.equal(shown(page), "streaming Hello wor");
  assert.deepEqual(drawn.splice(0), ["msg_0", "msg_1"]);
  await send(delta(3, 1, "ld"));
  await screen();
  assert.equal(shown(page), "streaming Hello world");
  assert.deepEqual(drawn.splice(0), ["msg_1"]);
  await send(delta(4, 1, "!"));
  await act(() => body.close());
  await turn();
  assert.deepEqual([shown(page), frames.size, ends], ["done Hello world! (truncated)", 0, ["done"]]);
});

test("a component that goes away cancels the stream, and draws no more", async () => {
  const page = await mounted();
  await send(delta(0, 0, "a"));
  assert.equal(frames.size, 1);
  await act(() => page.unmount());
  await turn();
  assert.deepEqual([cancelled, frames.size, drawn, ends], [true, 0, [], []]);
});

test("an error of the source is shown beside what was read, also where a frame was pending", async () => {
  for (const pending of [false, true]) {
    const page = await mounted();
    await send(delta(0, 0, "a"));
    if (!pending) await screen();
    await act(() => body.error(new Error("gone")));
    await turn();
    // A frame that was not cancelled would be drawn now.
    await screen();
    assert.equal(shown(page), "error a (truncated) (gone)");
    assert.equal(frames.size, 0);
  }
});

test("stop keeps what was read and is no error", async () => {
  const page = await mounted();
  await send(delta(0, 0, "a"));
  await act(() => hook.stop());
  await turn();
  assert.deepEqual([shown(page), cancelled, ends], ["done a (truncated)", true, ["done"]]);
});

test("resume continues after an error; send starts again and stops the one before", async () => {
  const page = await mounted();
  await send(delta(0, 0, "a"));
  await act(() => body.error(new Error("gone")));
  await turn();
  let after;
  await act(() => hook.resume((signal, last) => ((after = [signal.aborted, last]), request())));
  await turn();
  assert.deepEqual(after, [false, 0]);
  await send(delta(1, 0, "b"));
  await screen();
  assert.equal(shown(page), "streaming ab");
  await act(() => hook.send(request));
  await turn();
  assert.equal(cancelled, true);
  await send(delta(0, 0, "new"));
  await screen();
  assert.equal(shown(page), "streaming new");
  await act(() => hook.reset());
  await turn();
  assert.equal(shown(page), "idle");
});
