// init: the wasm is compiled once, in the background. In a process of its own, because other tests have started the module.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

// The output of errors is left out: it quotes the line of code, which has the wasm.
const run = (script) => execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Counts what is compiled in the background, and refuses to compile synchronously. Node.js compiles a small module of its own. */
const WATCHED = `
  let [compiled, refused] = [0, false];
  const { compile, Module } = WebAssembly;
  WebAssembly.compile = (bytes) => {
    if (bytes.length < 200_000) return compile(bytes);
    compiled++;
    return refused ? Promise.reject(new Error("no memory")) : compile(bytes);
  };
  WebAssembly.Module = new Proxy(Module, { construct() { throw new Error("compiled synchronously"); } });
  const { init, Reader } = await import("deltafold");
`;

test("init compiles once, in the background, and readers need no more", () => {
  const script = `${WATCHED} await Promise.all([init(), init()]); await init(); new Reader().free(); console.log(compiled);`;
  assert.equal(run(script), "1");
});

test("without init the first reader compiles synchronously", () => {
  const script = `${WATCHED} try { new Reader(); } catch (error) { console.log(error.cause.message, compiled); }`;
  assert.equal(run(script), "compiled synchronously 0");
});

test("init can be called again after an error", () => {
  const script = `${WATCHED} refused = true;
    const failed = await init().then(() => "none", (error) => error.cause.message);
    refused = false;
    await init();
    new Reader().free();
    console.log(failed, compiled);`;
  assert.equal(run(script), "no memory 2");
});
