/**
 * The entry `deltafold/react`: a hook for a response while it arrives. It needs the package `react`, and reads with `deltafold`.
 *
 * @module deltafold/react
 */

import { type ByteSource, type EventIterator, type Finding, init, type Outcome, readEvents, type ReaderOptions, type ResponseObject, type StreamEvent } from "./index.js";
import { useCallback, useEffect, useRef, useState } from "react";

/** Where a hook is: nothing was sent, a response arrives, it ended, or it cannot go on. */
export type ResponseStatus = "idle" | "streaming" | "done" | "error";

/** What `useResponse` shows. */
export interface ResponseState {
  /** `error` after an error of the source or of reading; a response that the server reports as failed is `done`, with its `outcome`. */
  readonly status: ResponseStatus;
  /** The response so far. Items that did not change are the same objects, so a memoised component per item is drawn only when it grows. */
  readonly response: ResponseObject | null;
  /** How the stream ended; null before. */
  readonly outcome: Outcome | null;
  /** The findings so far. */
  readonly findings: readonly Finding[];
  /** What the source or the reader threw; null if nothing. What was read before stays in `response`. */
  readonly error: unknown;
}

/** The input of `send` and `resume`: a source, or a function that gets the signal of `stop` and returns one, such as a call of `fetch`. */
export type ResponseInput = ByteSource | ((signal: AbortSignal) => ByteSource);

/** Options of `useResponse`. */
export interface UseResponseOptions extends ReaderOptions {
  /** Called for every event, before it is shown. */
  onEvent?: (event: StreamEvent) => void;
  /** Called once at the end of each response, also after an error. */
  onEnd?: (state: ResponseState) => void;
}

/** What `useResponse` returns: the state, and functions that stay the same for the life of the component. */
export interface UseResponse extends ResponseState {
  /** Reads a response; one that still arrives is stopped first. */
  send(input: ResponseInput): void;
  /** Cancels the source. What was read stays. */
  stop(): void;
  /** Continues a response that is truncated with the bytes of a new connection. */
  resume(input: ResponseInput | ((signal: AbortSignal, lastSequenceNumber: number | null) => ByteSource)): void;
  /** Goes back to `idle`. */
  reset(): void;
}

const IDLE: ResponseState = { status: "idle", response: null, outcome: null, findings: [], error: null };

/**
 * Shows a response while it arrives: `const { response, send, stop } = useResponse()`, then `send((signal) => fetch(url, { signal, … }))`.
 *
 * The component is drawn at most once per frame of the screen, however many events arrive. It stops reading when it goes away.
 */
export function useResponse({ onEvent, onEnd, ...options }: UseResponseOptions = {}): UseResponse {
  const [state, setState] = useState<ResponseState>(IDLE);
  const run = useRef<Run | null>(null);
  // The newest callbacks and options, without which the functions would change with every drawing.
  const latest = useRef({ onEvent, onEnd, options });
  latest.current = { onEvent, onEnd, options };

  const start = useCallback((make: (signal: AbortSignal) => EventIterator) => {
    run.current?.abort.abort();
    const current: Run = { abort: new AbortController(), events: null };
    run.current = current;
    void read(current, make, latest, (next) => {
      // An older run, and one of a component that went away, draw no more.
      if (run.current === current) setState(next);
    });
  }, []);
  const send = useCallback((input: ResponseInput) => {
    start((signal) => readEvents(sourceOf(input, signal), { ...latest.current.options, signal }));
  }, []);
  const stop = useCallback(() => run.current?.abort.abort(STOPPED), []);
  const resume = useCallback<UseResponse["resume"]>((input) => {
    const events = run.current?.events ?? null;
    if (events === null) throw new Error("there is no response to resume; call send first");
    start((signal) => events.resume(typeof input === "function" ? input(signal, events.reader.lastSequenceNumber) : input, { signal }));
  }, []);
  const reset = useCallback(() => {
    run.current?.abort.abort();
    run.current = null;
    setState(IDLE);
  }, []);
  useEffect(() => {
    // The wasm compiles while the user still types.
    init().catch(() => undefined);
    return () => {
      run.current?.abort.abort();
      run.current = null;
    };
  }, []);
  return { ...state, send, stop, resume, reset };
}

interface Run {
  readonly abort: AbortController;
  events: EventIterator | null;
}

/** The reason of `stop`, which is no error. */
const STOPPED = { name: "AbortError", message: "stopped" };

function sourceOf(input: ResponseInput, signal: AbortSignal): ByteSource {
  return typeof input === "function" ? input(signal) : input;
}

async function read(
  run: Run,
  make: (signal: AbortSignal) => EventIterator,
  latest: { readonly current: { onEvent: UseResponseOptions["onEvent"]; onEnd: UseResponseOptions["onEnd"] } },
  show: (state: ResponseState) => void,
): Promise<void> {
  const { signal } = run.abort;
  let frame = 0;
  const stateOf = (status: ResponseStatus, error: unknown): ResponseState => {
    const { events } = run;
    return { status, response: events?.response ?? null, outcome: events?.outcome ?? null, findings: events?.findings ?? [], error };
  };
  const draw = (): void => {
    frame = 0;
    show(stateOf("streaming", null));
  };
  let status: ResponseStatus = "done";
  let error: unknown = null;
  try {
    run.events = make(signal);
    show(stateOf("streaming", null));
    for await (const event of run.events) {
      latest.current.onEvent?.(event);
      if (frame === 0) frame = requestAnimationFrame(draw);
    }
  } catch (thrown) {
    if (thrown !== STOPPED) [status, error] = ["error", thrown];
  }
  // A drawing that waits for its frame would show the state before the end.
  if (frame !== 0) cancelAnimationFrame(frame);
  const end = stateOf(status, error);
  show(end);
  if (!signal.aborted || signal.reason === STOPPED) latest.current.onEnd?.(end);
}
