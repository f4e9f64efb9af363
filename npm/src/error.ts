/** Any error of deltafold; `code` and `offset` say which and where. */
export class DeltafoldError extends Error {
  override readonly name: string = "DeltafoldError";
  /** The exact cause, such as `limit.line`. */
  readonly code: string;
  /** Byte offset from the start of the stream, 0 where there is none. */
  readonly offset: number;

  constructor(message: string, code: string, offset: number) {
    super(message);
    this.code = code;
    this.offset = offset;
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

const CLASSES: Record<string, typeof DeltafoldError> = {
  limit: LimitExceeded,
  violation: StrictViolation,
  misuse: Misuse,
  malformed: DeltafoldError,
};

/**
 * Runs a call into the wasm module and turns its rows `[class, code, message, offset]` into errors.
 *
 * @internal
 */
export function call<T>(body: () => T): T {
  try {
    return body();
  } catch (thrown) {
    if (!Array.isArray(thrown)) throw thrown;
    const [kind, code, message, offset] = thrown as [string, string, string, number];
    throw new (CLASSES[kind] ?? DeltafoldError)(message, code, offset);
  }
}
