// The React hook of README.md, run by React itself.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { act, createElement, memo } from "react";
import { create } from "react-test-renderer";

import { useResponse } from "../examples/useResponse.js";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// The renderer would tell that it is going out of fashion.
globalThis.IS_REACT_NATIVE_TEST_ENVIRONMENT = true;

const utf8 = new TextEncoder();
const delta = (number, item, text) => `data: ${JSON.stringify({ type: "response.output_text.delta", sequence_number: number, item_id: `msg_${item}`, output_index: item, content_index: 0, delta: text })}\n\n`;

let frames = new Map();
let body;
let cancelled;
let drawn;
const native = { fetch: globalThis.fetch };

beforeEach(() => {
  [frames, cancelled, drawn] = [new Map(), false, []];
  let last = 0;
  globalThis.requestAnimationFrame = (draw) => (frames.set(++last, draw), last);
  globalThis.cancelAnimationFrame = (frame) => void frames.delete(frame);
  globalThis.fetch = async () => new Response(new ReadableStream({ start: (out) => void (body = out), cancel: () => void (cancelled = true) }));
});
afterEach(() => {
  globalThis.fetch = native.fetch;
  delete globalThis.requestAnimationFrame;
  delete globalThis.cancelAnimationFrame;
});

const Item = memo(({ item }) => {
  drawn.push(item.id);
  return item.content[0].text;
});
function Chat({ url }) {
  const { response, outcome, error } = useResponse(url);
  const items = response?.output.map((item) => createElement(Item, { key: item.id, item })) ?? [];
  return [...items, outcome && `(${outcome.outcome})`, error && `(${error.message})`];
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
  await act(() => void (page = create(createElement(Chat, { url: "/chat" }))));
  await turn();
  return page;
}

test("the hook draws once per frame, and only the items that grew", async () => {
  const page = await mounted();
  await send(delta(0, 0, "Hel"), delta(1, 0, "lo"), delta(2, 1, "wor"));
  assert.deepEqual([shown(page), frames.size], ["", 1]);
  await screen();
  assert.equal(shown(page), "Hello wor");
  assert.deepEqual(drawn.splice(0), ["msg_0", "msg_1"]);
  await send(delta(3, 1, "ld"));
  await screen();
  assert.equal(shown(page), "Hello world");
  assert.deepEqual(drawn.splice(0), ["msg_1"]);
  await send(delta(4, 1, "!"));
  await act(() => body.close());
  await turn();
  assert.deepEqual([shown(page), frames.size], ["Hello world! (truncated)", 0]);
});

test("a component that is unmounted cancels the stream and stops rendering", async () => {
  const page = await mounted();
  await send(delta(0, 0, "a"));
  assert.equal(frames.size, 1);
  await act(() => page.unmount());
  await turn();
  assert.deepEqual([cancelled, frames.size, drawn], [true, 0, []]);
});

test("an error of the source is shown next to the response so far", async () => {
  const page = await mounted();
  await send(delta(0, 0, "a"));
  await screen();
  await act(() => body.error(new Error("gone")));
  await turn();
  assert.equal(shown(page), "a (gone)");
});
