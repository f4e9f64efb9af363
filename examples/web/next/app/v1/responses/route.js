// A route handler of Next that answers with a stream of its own.

import { Writer } from "deltafold/full";

export function POST() {
  return new Writer({ id: "resp_1", model: "m-1" }).toResponse((writer) => {
    writer.message();
    writer.text("Hello");
    writer.complete();
  });
}
