// The npm runner in Node.js; the package is found from the folder in which it is started.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

import { makeRunner } from "./runner.mjs";

// Otherwise Node.js prints the line of the bundle that threw, which is the whole bundle.
process.on("uncaughtException", (error) => {
  process.stderr.write(`${String(error.stack).slice(0, 2000)}\n`);
  process.exit(1);
});

const run = makeRunner(createRequire(`${process.cwd()}/`)("deltafold/full"));
for await (const line of createInterface({ input: process.stdin })) {
  const lines = run(line);
  if (lines === null) process.exit(2);
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}
