// Reads a stream from standard input with the npm package, and prints the result. The package is found from the folder in which it is
// started in.

import { createRequire } from "node:module";

const { Reader } = createRequire(`${process.cwd()}/`)("deltafold");
const reader = new Reader();
let events = 0;
for await (const chunk of process.stdin) {
  for (const event of reader.feed(chunk)) events += event.type === undefined ? 0 : 1;
}
for (const event of reader.end()) events += event.type === undefined ? 0 : 1;
const { outcome } = reader.finish();
console.log(JSON.stringify({ events, outcome, text: Buffer.byteLength(reader.outputText) }));
