/**
 * Reads LLM response streams: bytes in, cut anywhere; events, findings and the response out.
 *
 * @packageDocumentation
 */

export { DeltafoldError, LimitExceeded, Misuse, StrictViolation } from "./error.js";
export { type Frame, SseDecoder } from "./sse.js";
export { version } from "./version.js";
