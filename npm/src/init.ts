import { attach, isStarted } from "./memory.js";
import { loadModule } from "./start.js";

/** The compilation that is under way. */
let loading: Promise<void> | null = null;

/**
 * Compiles the wasm in the background, so that the first reader does not block the thread. Optional: without it, the first use
 * compiles synchronously. In a page, call it before the first stream: `await init()`, or without `await` while the request is under way.
 */
export async function init(): Promise<void> {
  if (isStarted()) return;
  // Calls at the same time share one compilation; after an error, the next call tries again.
  loading ??= loadModule()
    .then(attach)
    .finally(() => (loading = null));
  return loading;
}
