import { started } from "./memory.js";

/** Any error of deltafold; `code` and `offset` say which and where. */
export class DeltafoldError extends Error {
  override readonly name: string = "DeltafoldError";
  /** The exact cause, such as `limit.line`. */
  readonly code: string;
  /** Byte offset from the start of the stream, 0 where there is none. */
  readonly offset: number;

  /** Sequence number of the event concerned; null where it is not known. */
  readonly sequenceNumber: number | null;

  constructor(message: string, code: string, offset: number, sequenceNumber: number | null = null) {
    super(message);
    this.code = code;
    this.offset = offset;
    this.sequenceNumber = sequenceNumber;
  }
}

/** A limit was passed. */
export class LimitExceeded extends DeltafoldError {
  override readonly name = "LimitExceeded";
}

/** The stream breaks a rule, and the reader is strict. */
export class StrictViolation extends DeltafoldError {
  override readonly name = "StrictViolation";
}

/** A call that may not be made now. */
export class Misuse extends DeltafoldError {
  override readonly name = "Misuse";
}

/** The wasm stopped in the middle of a call: a bug of deltafold. What it happened to is dead; anything new works. */
export class Fatal extends DeltafoldError {
  override readonly name = "Fatal";
}

/**
 * What is to be thrown in place of what a call into the wasm module threw.
 *
 * @internal
 */
export function thrownAs(thrown: unknown): unknown {
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
 * Makes the error of a row `[class, code, message, offset, sequence number]`, which is JSON text.
 *
 * @internal
 */
export function errorOf(row: string): DeltafoldError {
  const [kind, code, message, offset, number] = JSON.parse(row) as [string, string, string, number, number | null];
  return new (CLASSES[kind] ?? DeltafoldError)(message, code, offset, number);
}

/**
 * Runs a call into the wasm module, which it starts if nobody has, and turns its rows into errors.
 *
 * @internal
 */
export function call<T>(body: () => T): T {
  started();
  try {
    return body();
  } catch (thrown) {
    throw thrownAs(thrown);
  }
}
