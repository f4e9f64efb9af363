// deltafold as contenders of the peer comparison: JS_EXTRA=…/benches/peers/js/deltafold.mjs, after `npm run build` in npm/.
import { Reader, readEvents } from "../../../npm/dist/index.js";

export default function contenders({ Acc, readable }) {
  // Chunks are fed as they are, as eventsource-parser is fed.
  function fed(chunks) {
    const folded = new Acc();
    const reader = new Reader();
    for (const chunk of chunks) for (const event of reader.feed(chunk)) folded.event(event);
    reader.free();
    return folded;
  }
  // From a ReadableStream, by the asynchronous iterator.
  async function streamed(chunks) {
    const folded = new Acc();
    const events = readEvents(readable(chunks));
    for await (const event of events) folded.event(event);
    events.reader.free();
    return folded;
  }
  return { deltafold: fed, "deltafold-rs": streamed };
}
