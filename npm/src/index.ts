/**
 * Reads LLM response streams: takes bytes, split anywhere; returns events, findings and the response.
 *
 * @packageDocumentation
 */

export { DeltafoldError, Fatal, LimitExceeded, Misuse, StrictViolation } from "./error.js";
export { eventInfo, type EventInfo } from "./event.js";
export { partialJson, PartialJson, type PartialOptions, type Unfinished } from "./partial.js";
export { Reader } from "./reader.js";
export type { ByteSource } from "./source.js";
export { type Frame, SseDecoder } from "./sse.js";
export { EventIterator, readEvents, type ReadOptions, ResponseEventStream } from "./stream.js";
export type * from "./contract.js";
export type * from "./types.js";
export { version } from "./version.js";
