/**
 * Reads LLM response streams: takes bytes, split anywhere; returns events, findings and the response.
 *
 * @module deltafold
 */

export { DeltafoldError, Fatal, LimitExceeded, Misuse, ResponseFailed, SchemaViolation, StrictViolation } from "./error.js";
export { eventInfo, type EventInfo } from "./event.js";
export { init } from "./init.js";
export { type JsonType, type PartialChange, partialJson, PartialJson, type PartialOptions, type Unfinished } from "./partial.js";
export { Reader } from "./reader.js";
export { type DeepPartial, PartialStream, type SchemaInput, type SchemaIssue, type SchemaOutput, type SchemaResult, type StandardSchema, type TextPlace } from "./schema.js";
export type { ByteSource } from "./source.js";
export { type Frame, SseDecoder } from "./sse.js";
export { BatchIterator, EventIterator, readBatches, readEvents, type ReadOptions, ResponseEventStream, type ResumeOptions, SourceIterator } from "./stream.js";
export type * from "./contract.js";
export type * from "./types.js";
export { version } from "./version.js";
