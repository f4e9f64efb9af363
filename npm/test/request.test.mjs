// Requests as JavaScript: what goes back next turn, which calls may be run, what to do about an error.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  advice,
  apiError,
  createMessage,
  enforce,
  history,
  invalidRequest,
  isSuccessStatus,
  isTerminalStatus,
  isValidExtensionType,
  Misuse,
  modelError,
  notFound,
  serverError,
  ToolLoop,
  toolResults,
  tooManyRequests,
  validate,
} from "deltafold/full";

const REQUEST = {
  model: "m-1",
  input: "Hi",
  tools: [{ type: "function", name: "look" }, { type: "function", name: "delete" }],
  tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "look" }] },
};
const call = (id, name = "look") => ({ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: "{}", status: "completed" });
const response = (...output) => ({ object: "response", id: "resp_1", status: "completed", output });

test("answers become the next request, and omissions are reported", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "hm" }] };
  const steps = [{ response: response(reasoning, call("c1")) }, { item: { type: "message", role: "user", content: "Go on" } }];
  const next = history(REQUEST, steps);
  assert.deepEqual(next.request.input.map((item) => item.type), ["message", "reasoning", "function_call", "message"]);
  assert.deepEqual(next.findings.map((finding) => [finding.code, finding.path]), [["field_dropped", "/output/0/content"]]);
  assert.equal(history(REQUEST, steps, "stateful").request.previous_response_id, "resp_1");
  assert.throws(() => history(REQUEST, steps, "nobody"), Misuse);
});

test("every call gets its verdict", () => {
  const verdicts = enforce(REQUEST, response(call("c1"), call("c2", "delete")));
  assert.deepEqual(verdicts.map((verdict) => [verdict.call_id, verdict.allowed, verdict.reason]), [["c1", true, null], ["c2", false, "not_allowed"]]);
});

test("a loop takes results in any order and sends them in the order of the calls", () => {
  const tools = new ToolLoop(REQUEST, { max_turns: 3 });
  assert.equal(tools.apply(response(call("c1"), call("c2", "delete"), call("c3"))), "waiting");
  assert.deepEqual(tools.pending.map((verdict) => verdict.call_id), ["c1", "c3"]);
  assert.deepEqual(tools.rejected.map((verdict) => verdict.reason), ["not_allowed"]);
  assert.equal(tools.result("c3", { error: "no network" }), "waiting");
  assert.throws(() => tools.result("c9", "nobody asked"), Misuse);
  assert.equal(tools.result("c1", { json: { n: 1 } }), "ready");
  const outputs = tools.request.input.filter((item) => item.type === "function_call_output");
  assert.deepEqual(outputs.map((item) => item.call_id), ["c1", "c2", "c3"]);
  assert.deepEqual([outputs[0].output, outputs[2].output], ['{"n":1}', '{"error":"no network"}']);
  assert.deepEqual(validate("request", tools.request), []);
  assert.equal(tools.apply(response()), "finished");
  assert.equal(tools.reason, null);
});

test("a caller can stop a loop in any state", () => {
  for (const steps of [[], [response(call("c1"))], [response()]]) {
    const tools = new ToolLoop(REQUEST);
    for (const step of steps) tools.apply(step);
    assert.equal(tools.stop(), "stopped");
    assert.deepEqual([tools.state, tools.reason, tools.pending], ["stopped", "caller", []]);
    assert.throws(() => tools.result("c1", "too late"), Misuse);
    assert.throws(() => tools.apply(response()), Misuse);
    assert.equal(tools.stop(), "stopped");
  }
});

test("an error has advice, and a WebSocket its message", () => {
  const body = { error: { type: "too_many_requests", code: null, message: "Slow down.", param: null } };
  const found = advice(body, { status: 429, headers: { "Retry-After": "2" } });
  assert.deepEqual([found.action, found.after], ["retry", 2]);
  const { message, left_out } = createMessage({ model: "m-1", stream: true, input: "Hi" });
  assert.deepEqual([message, left_out], [{ type: "response.create", model: "m-1", input: "Hi" }, ["stream"]]);
});

test("results become input items without a loop", () => {
  const items = toolResults(response(call("c1"), call("c2")), { c1: "4", c2: { error: "no network" } });
  assert.deepEqual(items.map((item) => [item.type, item.call_id, item.output]), [
    ["function_call_output", "c1", "4"],
    ["function_call_output", "c2", '{"error":"no network"}'],
  ]);
});

test("an error for a client has a status, a body and a message for a socket", () => {
  const made = [serverError, invalidRequest, notFound, modelError, tooManyRequests].map((make) => make("m", { code: "c" }));
  assert.deepEqual(made.map((error) => [error.status, error.body.error.type]), [
    [500, "server_error"],
    [400, "invalid_request"],
    [404, "not_found"],
    [500, "model_error"],
    [429, "too_many_requests"],
  ]);
  for (const { status, body, message } of made) {
    assert.deepEqual(validate("error", body), []);
    assert.deepEqual([message.type, message.status, message.error], ["error", status, body.error]);
  }
  assert.throws(() => apiError("teapot", "m"), Misuse);
});

test("a loop of many turns keeps only its own state", () => {
  const tools = new ToolLoop(REQUEST, { max_turns: 300, max_calls: 300 });
  for (let turn = 0; turn < 300; turn++) {
    tools.apply(response(call(`c${turn}`)));
    assert.equal(tools.result(`c${turn}`, "x"), "ready");
  }
  assert.deepEqual([tools.turns, tools.request.input.length], [300, 601]);
  assert.equal(tools.request, tools.request);
  tools.free();
});

test("types of extensions and statuses of items", () => {
  assert.deepEqual(["acme:note", "note", "acme:a note"].map(isValidExtensionType), [true, false, false]);
  assert.deepEqual(["searching", "completed", "failed", "done"].map(isTerminalStatus), [false, true, true, false]);
  assert.deepEqual(["searching", "completed", "failed", "done"].map(isSuccessStatus), [false, true, false, false]);
});
