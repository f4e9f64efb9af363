// A conversation with tools over HTTP on loopback: examples/server has the model, tool-loop.json says how it goes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { readEvents, ToolLoop } from "deltafold/full";

const program = process.env.DELTAFOLD_SERVER_PROGRAM;
if (!program) throw new Error("DELTAFOLD_SERVER_PROGRAM is not set; it is the program of examples/server");
const script = JSON.parse(readFileSync(new URL("../../../examples/server/tool-loop.json", import.meta.url), "utf8"));

let server;
let base;
before(async () => {
  server = spawn(program, ["--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  base = await new Promise((resolve, reject) => {
    server.stdout.setEncoding("utf8").on("data", (text) => {
      const url = /https?:\/\/\S+/.exec(text);
      if (url) resolve(url[0]);
    });
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
});
after(() => server.kill());

for (const policy of ["stateless", "stateful"]) {
  test(`two calls at once, one rejected, one that fails, then the answer: ${policy}`, async () => {
    const loop = new ToolLoop(script.request, { policy });
    const turns = [];
    while (loop.state === "ready") {
      const answer = await fetch(`${base}/responses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...loop.request, stream: true }),
      });
      assert.equal(answer.status, 200);
      const events = readEvents(answer);
      const response = await events.finalResponse();
      assert.deepEqual(events.outcome, { outcome: "completed" });
      loop.apply(response);
      turns.push({ pending: loop.pending.map(({ name }) => name), rejected: loop.rejected.map(({ name, reason }) => [name, reason]) });
      // In the other order than they were called: any order will do.
      for (const { call_id, name } of [...loop.pending].reverse()) loop.result(call_id, script.results[name]);
      if (loop.state === "finished") assert.equal(events.outputText, script.answer);
    }
    assert.deepEqual(turns, script.turns);
    assert.deepEqual([loop.state, loop.reason], ["finished", null]);
  });
}
