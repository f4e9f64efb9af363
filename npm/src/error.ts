import { ensureStarted } from "./memory.js";
import type { SchemaIssue } from "./schema.js";
import type { Failure, Outcome } from "./types.js";

/** The base class of all errors of this package; `code` names the cause and `offset` the place. */
export class DeltafoldError extends Error {
  /** @internal */
  static readonly name: string = "DeltafoldError";
  /** The name of the class. */
  override readonly name: string = "DeltafoldError";
  /** The exact cause, such as `limit.line`. */
  readonly code: string;
  /** Byte offset from the start of the stream; 0 if there is none. */
  readonly offset: number;

  /** Sequence number of the event; null if it is unknown. */
  readonly sequenceNumber: number | null;

  /** Creates an error. Programs only catch errors of this package. */
  constructor(message: string, code: string, offset: number, sequenceNumber: number | null = null) {
    super(message);
    this.code = code;
    this.offset = offset;
    this.sequenceNumber = sequenceNumber;
  }
}

/** A limit was exceeded. */
export class LimitExceeded extends DeltafoldError {
  /** @internal */
  static readonly name: string = "LimitExceeded";
  /** The name of the class. */
  override readonly name = "LimitExceeded";
}

/** The stream breaks a rule, and the reader is strict. */
export class StrictViolation extends DeltafoldError {
  /** @internal */
  static readonly name: string = "StrictViolation";
  /** The name of the class. */
  override readonly name = "StrictViolation";
}

/** The caller may not make this call in the current state, or with these arguments. */
export class Misuse extends DeltafoldError {
  /** @internal */
  static readonly name: string = "Misuse";
  /** The name of the class. */
  override readonly name = "Misuse";
}

/** A stream that failed, was cancelled or is truncated; `throwIfFailed` throws it. The error of the server is in `failure`. */
export class ResponseFailed extends DeltafoldError {
  /** @internal */
  static readonly name: string = "ResponseFailed";
  /** The name of the class. */
  override readonly name = "ResponseFailed";
  /** How the stream ended. */
  readonly outcome: Outcome;
  /** The error that the stream reports; null if it was cancelled or truncated. */
  readonly failure: Failure | null;

  /** Creates the error for an outcome that is not a success. */
  constructor(outcome: Outcome) {
    const failure = outcome.outcome === "failed" ? outcome.error : null;
    // A code is a word of an API; anything else may quote the user.
    const code = failure !== null && /^[a-z0-9_]{1,64}$/.test(failure.code) ? `: ${failure.code}` : "";
    const truncated = outcome.outcome === "truncated";
    super(`the response ${truncated ? "is" : outcome.outcome === "failed" ? "has" : "was"} ${outcome.outcome}${code}`, `outcome.${outcome.outcome}`, 0, truncated ? outcome.last_sequence_number : null);
    this.outcome = outcome;
    this.failure = failure;
    // What a program logs of an error must not have texts of the server in it.
    for (const name of ["outcome", "failure"]) Object.defineProperty(this, name, { enumerable: false });
  }
}

/** A structured output that is not JSON, or does not match its schema; `issues` says where. */
export class SchemaViolation extends DeltafoldError {
  /** @internal */
  static readonly name: string = "SchemaViolation";
  /** The name of the class. */
  override readonly name = "SchemaViolation";
  /** What the schema says is wrong; empty if the text is not JSON. */
  readonly issues: readonly SchemaIssue[];

  /** Creates the error for the issues of a schema. */
  constructor(message: string, issues: readonly SchemaIssue[]) {
    super(message, "schema.mismatch", 0);
    this.issues = issues;
    // The messages of a schema library can quote the value.
    Object.defineProperty(this, "issues", { enumerable: false });
  }
}

/** The wasm trapped during a call, which is a bug of deltafold. The object of the call is unusable; new objects work. */
export class Fatal extends DeltafoldError {
  /** @internal */
  static readonly name: string = "Fatal";
  /** The name of the class. */
  override readonly name = "Fatal";
}

/**
 * Converts a value that a call into the wasm module threw to an error of this package.
 *
 * @internal
 */
export function toError(thrown: unknown): unknown {
  if (typeof thrown === "string") return errorOf(thrown);
  if (!(thrown instanceof WebAssembly.RuntimeError)) return thrown;
  const fatal = new Fatal(`the wasm stopped: ${thrown.message}`, "fatal.trap", 0);
  fatal.cause = thrown;
  return fatal;
}

const CLASSES: Record<string, typeof DeltafoldError> = {
  limit: LimitExceeded,
  violation: StrictViolation,
  misuse: Misuse,
  malformed: DeltafoldError,
};

/**
 * Makes an error from a row: the JSON text of `[class, code, message, offset, sequence number]`.
 *
 * @internal
 */
export function errorOf(row: string): DeltafoldError {
  const [kind, code, message, offset, number] = JSON.parse(row) as [string, string, string, number, number | null];
  return new (CLASSES[kind] ?? DeltafoldError)(message, code, offset, number);
}

/**
 * Runs a call into the wasm module, starts the module first if needed, and converts what the call throws.
 *
 * @internal
 */
export function call<T>(body: () => T): T {
  ensureStarted();
  try {
    return body();
  } catch (thrown) {
    throw toError(thrown);
  }
}
