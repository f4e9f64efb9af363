/**
 * Everything: reading as in `deltafold`, and validation, writing and conversion.
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
export { type ApiError, type Intent, type Usage, Writer, type WriterOptions } from "./writer.js";
