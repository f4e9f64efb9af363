import { ensureStarted } from "./memory.js";

/** The base class of all errors of this package; `code` names the cause and `offset` the place. */
export class DeltafoldError extends Error {
  override readonly name: string = "DeltafoldError";
  /** The exact cause, such as `limit.line`. */
  readonly code: string;
  /** Byte offset from the start of the stream; 0 if there is none. */
  readonly offset: number;

  /** Sequence number of the event; null if it is unknown. */
  readonly sequenceNumber: number | null;

  constructor(message: string, code: string, offset: number, sequenceNumber: number | null = null) {
    super(message);
    this.code = code;
    this.offset = offset;
    this.sequenceNumber = sequenceNumber;
  }
}

/** A limit was exceeded. */
export class LimitExceeded extends DeltafoldError {
  override readonly name = "LimitExceeded";
}

/** The stream breaks a rule, and the reader is strict. */
export class StrictViolation extends DeltafoldError {
  override readonly name = "StrictViolation";
}

/** The caller may not make this call in the current state, or with these arguments. */
export class Misuse extends DeltafoldError {
  override readonly name = "Misuse";
}

/** The wasm trapped during a call, which is a bug of deltafold. The object of the call is unusable; new objects work. */
export class Fatal extends DeltafoldError {
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
