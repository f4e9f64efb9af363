/**
 * All functions: reading as in `deltafold`, validation, writing and conversion.
 *
 * @packageDocumentation
 */

export * from "./index.js";
export {
  check,
  type Checkable,
  explain,
  type Explanation,
  profiles,
  type Report,
  validate,
  validateEvent,
  validateItem,
  type ValidateOptions,
  validateRequest,
  validateResponse,
} from "./check.js";
export {
  type AdapterOptions,
  AgUiStream,
  convert,
  Converter,
  ConvertStream,
  type ConvertOptions,
  detectDialect,
  dialects,
  type Loss,
  OpenResponsesStream,
  type SourceDialect,
  type TargetDialect,
  UiMessageStream,
} from "./convert.js";
export {
  advice,
  type CallVerdict,
  createMessage,
  enforce,
  type ErrorAdvice,
  history,
  type HistoryFinding,
  type HistoryStep,
  type CustomPolicy,
  type Policy,
  ToolLoop,
  type ToolLoopOptions,
  type ToolResult,
} from "./request.js";
export { type ApiError, type Intent, type Usage, Writer, type WriterOptions } from "./writer.js";
