// The inspector's worker: reading, checking, accumulating up to an event, converting.

import { Converter, detectDialect, dialects, eventInfo, explain, profiles, Reader, Writer } from "../src/full.ts";

const PIECE = 1 << 18;
const decode = (bytes) => new TextDecoder().decode(bytes);

let bytes = new Uint8Array();
let reader = null;
let length = 0;
let profile = "any";
let events = empty();
/** The number of findings of an event, by its index. */
let marks = new Map();
let source = null;

function empty() {
  return { count: 0, types: [], typeOf: new Map(), kind: new Uint16Array(1024), number: new Float64Array(1024), offset: new Float64Array(1024), time: null };
}

const grown = (array, size) => {
  const next = new array.constructor(size);
  next.set(array);
  return next;
};

function note(event, time) {
  const { index, offset } = eventInfo(event);
  if (index >= events.kind.length) for (const name of ["kind", "number", "offset"]) events[name] = grown(events[name], index * 2);
  const type = event.type || "(not JSON)";
  let id = events.typeOf.get(type);
  if (id === undefined) {
    id = events.types.push(type) - 1;
    events.typeOf.set(type, id);
  }
  events.kind[index] = id;
  events.number[index] = typeof event.sequence_number === "number" ? event.sequence_number : -1;
  events.offset[index] = offset;
  if (time !== undefined) (events.time ??= [])[index] = time;
  events.count = index + 1;
}

function begin() {
  reader?.free();
  reader = new Reader({ layers: "all", profile, limits: { findings: 5000 } });
  events = empty();
  marks = new Map();
  length = 0;
}

/** Reads the bytes in `bytes`. */
function read(upTo, time) {
  for (; length < upTo && reader.error === null; ) {
    const end = Math.min(upTo, length + PIECE);
    for (const event of reader.feed(bytes.subarray(length, end))) note(event, time);
    length = end;
  }
}

function finish(extra = {}) {
  if (reader.error === null) for (const event of reader.end()) note(event);
  const outcome = reader.finish();
  for (const finding of reader.findings) if (finding.event_index !== null) marks.set(finding.event_index, (marks.get(finding.event_index) ?? 0) + 1);
  return { outcome, count: events.count, findings: reader.findings, counts: reader.findingCounts, bytes: length, error: reader.error && String(reader.error.message), source, timed: events.time !== null, ...extra };
}

/** The payload of an event: from its offset to the end of its line. */
function payload(index, most = Infinity) {
  const start = events.offset[index];
  const next = index + 1 < events.count ? events.offset[index + 1] : length;
  const piece = bytes.subarray(start, Math.min(next, start + most));
  const end = piece.findIndex((byte) => byte === 10 || byte === 13);
  return decode(end < 0 ? piece : piece.subarray(0, end));
}

/** The response after an event: the stream is read again up to the next payload, which costs as much as reading it. */
function at(index) {
  const again = new Reader({ profile });
  const end = index + 1 < events.count ? events.offset[index + 1] : length;
  const before = events.offset[index];
  const feed = (from, to) => {
    for (let place = from; place < to && again.error === null; place += PIECE) again.feed(bytes.subarray(place, Math.min(to, place + PIECE)));
  };
  feed(0, before);
  const old = again.outputText.length;
  feed(before, end);
  const result = { json: again.responseJson, text: again.outputText, old };
  again.free();
  return result;
}

/** Writes the accumulated response as a new stream, without the faults of the original. */
function repaired() {
  const response = JSON.parse(reader.responseJson);
  const outcome = reader.outcome?.outcome;
  const { id, model, created_at, status, output = [], usage, error, incomplete_details, completed_at, object, ...template } = response;
  const options = { id: id || "resp_repaired", model: model || "", created_at: Math.trunc(created_at) || 0, edition: "openai", reasoning_names: "openai" };
  let writer;
  try {
    writer = new Writer({ ...options, template });
    writer.start();
  } catch {
    // Fields that a response must not have are omitted.
    writer = new Writer(options);
    writer.start();
  }
  const left = [];
  for (const item of output) {
    try {
      writer.item(item);
    } catch (thrown) {
      left.push(`${item.type}: ${thrown.message}`);
    }
  }
  const counts = usage ? { usage } : {};
  try {
    if (outcome === "completed") writer.apply({ do: "complete", ...counts });
    else if (outcome === "incomplete") writer.apply({ do: "incomplete", reason: incomplete_details?.reason || "unknown", ...counts });
    else if (outcome === "cancelled") writer.cancel();
    else writer.fail({ message: error?.message || "the stream ended before a terminal event" });
  } catch {
    writer.incomplete("unknown");
  }
  const made = writer.take();
  writer.free();
  return { bytes: made, left };
}

function convert(from, to, options) {
  const converter = new Converter({ ...(from ? { from } : {}), to, options });
  const pieces = [];
  for (let place = 0; place < bytes.length; place += PIECE) pieces.push(converter.feed(bytes.subarray(place, place + PIECE)));
  pieces.push(converter.finish());
  const { report } = converter;
  converter.free();
  return { bytes: new Uint8Array(pieces.flatMap((piece) => [piece]).reduce((sum, piece) => sum + piece.length, 0)), pieces, report };
}

function joined({ bytes: out, pieces, report }) {
  let place = 0;
  for (const piece of pieces) {
    out.set(piece, place);
    place += piece.length;
  }
  return { bytes: out, report };
}

const NOW = { response_id: "resp_converted", thread_id: "thread", run_id: "run" };

const calls = {
  start: () => ({ profiles: profiles(), targets: dialects().filter((dialect) => dialect.written).map((dialect) => dialect.name) }),
  async load({ file, profile: wanted }) {
    profile = wanted;
    bytes = new Uint8Array(await file.arrayBuffer());
    const dialect = detectDialect(bytes.subarray(0, 65536));
    let losses = null;
    source = dialect ?? "unknown";
    if (dialect !== null && dialect !== "open-responses") {
      const { bytes: made, report } = joined(convert(dialect, "open-responses", NOW));
      bytes = made;
      losses = report.findings.length;
    }
    begin();
    for (let place = 0; place < bytes.length && reader.error === null; place += PIECE * 8) {
      read(Math.min(bytes.length, place + PIECE * 8));
      postMessage({ progress: length / bytes.length, count: events.count });
      // Answers the queries that arrived in the meantime.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return finish({ losses });
  },
  async connect({ url, profile: wanted }) {
    profile = wanted;
    bytes = new Uint8Array(1 << 16);
    source = url;
    begin();
    const answer = await fetch(url);
    reader.noteHeaders(answer.headers, answer.status);
    const began = performance.now();
    let end = 0;
    const body = answer.body.getReader();
    for (;;) {
      const { value, done } = await body.read();
      if (done) break;
      if (end + value.length > bytes.length) bytes = grown(bytes, (end + value.length) * 2);
      bytes.set(value, end);
      end += value.length;
      read(end, performance.now() - began);
      postMessage({ count: events.count, live: true, text: reader.outputText });
    }
    bytes = bytes.subarray(0, end);
    return finish();
  },
  rows: ({ from, to }) => {
    const rows = [];
    for (let index = from; index < Math.min(to, events.count); index++) {
      const raw = payload(index, 400);
      const delta = /"delta"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(raw)?.[1];
      rows.push({ index, type: events.types[events.kind[index]], number: events.number[index], preview: delta ?? "", time: events.time?.[index], marks: marks.get(index) ?? 0 });
    }
    return rows;
  },
  event: ({ index }) => ({ raw: payload(index), offset: events.offset[index], found: reader.findings.filter((finding) => finding.event_index === index) }),
  at: ({ index }) => at(index),
  explain: ({ rule }) => explain(rule),
  convert: ({ to }) => {
    const { bytes: made, report } = joined(convert(null, to, to === "ag-ui" ? { thread_id: "thread", run_id: "run" } : {}));
    return { bytes: made, report };
  },
  repaired: () => repaired(),
};

onmessage = async ({ data: { id, call, given } }) => {
  try {
    postMessage({ id, result: await calls[call](given) });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
