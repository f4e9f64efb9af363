/**
 * All functions: reading as in `deltafold`, validation, writing and conversion.
 *
 * @module deltafold/full
 */

export * from "./index.js";
export {
  check,
  type Checkable,
  explain,
  type Explanation,
  isSuccessStatus,
  isTerminalStatus,
  isValidExtensionType,
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
  type AdapterStreamOptions,
  AgUiStream,
  type ConversionOptions,
  convert,
  Converter,
  ConvertStream,
  type ConvertOptions,
  detectDialect,
  dialects,
  type Loss,
  OpenResponsesStream,
  type SourceDialect,
  type SourceOptions,
  type TargetDialect,
  type TargetOptions,
  type ToResponseOptions,
  UiMessageStream,
} from "./convert.js";
export {
  advice,
  apiError,
  type CallVerdict,
  createMessage,
  type CustomPolicy,
  enforce,
  type ErrorAdvice,
  type ErrorAnswer,
  type ErrorDetails,
  type ErrorType,
  history,
  type HistoryFinding,
  type HistoryStep,
  invalidRequest,
  modelError,
  notFound,
  type Policy,
  serverError,
  ToolLoop,
  type ToolLoopOptions,
  toolResults,
  tooManyRequests,
  type ToolResult,
} from "./request.js";
export { type ApiError, type Intent, type Usage, Writer, type WriterOptions } from "./writer.js";
