// The npm runner; the protocol is in tests/runners/README.md. The package is found from the folder it is started in.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { DeltafoldError, SseDecoder } = createRequire(`${process.cwd()}/`)("deltafold");

const show = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

let decoder = null;
for await (const line of createInterface({ input: process.stdin })) {
  const [word, rest = ""] = line.split(" ");
  if (word === "sse") {
    decoder?.free();
    decoder = new SseDecoder();
  } else if (word === "feed") {
    try {
      for (const frame of decoder?.feed(Buffer.from(rest, "hex")) ?? []) show(frame);
    } catch (error) {
      if (!(error instanceof DeltafoldError)) throw error;
      show({ error: error.code, offset: error.offset });
      decoder = null;
    }
  } else if (word === "end") {
    decoder?.free();
    decoder = null;
    show({ end: true });
  } else {
    process.exit(2);
  }
}
