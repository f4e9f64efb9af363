// What every server of these examples must do, over HTTP. npm/packaging/next.mjs asks the routes of Next the same.

import assert from "node:assert/strict";

const post = (url, body, signal) => fetch(url, { method: "POST", body, signal });

/** Waits for a promise, for at most ten seconds: a server that collects its output would wait for ever. */
function soon(promise, what) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`waited ten seconds for ${what}`)), 10_000)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The text of a body up to one that contains a word, or to the end. */
async function textOf(reader, word) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await soon(reader.read(), word ?? "the end of the body");
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (word !== undefined && text.includes(word)) return text;
  }
}

export const CHECKS = {
  async "a text of the model arrives before the model has finished"(url, upstream) {
    const asked = upstream.next();
    const answer = await post(`${url}/chat`, "complete");
    assert.deepEqual([answer.status, answer.headers.get("content-type"), answer.headers.get("x-vercel-ai-ui-message-stream")], [200, "text/event-stream", "v1"]);
    const reader = answer.body.getReader();
    await textOf(reader, '"delta":"Hel"');
    (await asked).finish();
    const rest = await textOf(reader);
    assert.match(rest, /"delta":"lo"[^]*"type":"finish"[^]*data: \[DONE\]\n\n$/);
  },

  async "a model that breaks off is a failure at the end of the answer"(url, upstream) {
    const asked = upstream.next();
    const reader = (await post(`${url}/chat`, "break")).body.getReader();
    await textOf(reader, '"delta":"Hel"');
    (await asked).breakOff();
    assert.match(await textOf(reader), /"type":"error"/);
  },

  async "a model that refuses is a failure"(url) {
    assert.match(await soon((await post(`${url}/chat`, "refuse")).text(), "a refusal"), /"type":"error"/);
  },

  async "a client that goes away stops the model"(url, upstream) {
    const asked = upstream.next();
    const client = new AbortController();
    const reader = (await post(`${url}/chat`, "wait", client.signal)).body.getReader();
    await textOf(reader, '"delta":"Hel"');
    const { closed } = await asked;
    client.abort();
    await soon(closed, "the end of the request to the model");
  },

  async "an answer of the server's own is complete"(url) {
    const answer = await post(`${url}/v1/responses`, "{}");
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    assert.match(await soon(answer.text(), "the answer"), /"delta":"Hello"[^]*event: response\.completed\n/);
  },
};
