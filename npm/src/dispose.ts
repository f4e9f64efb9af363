/* `using` and `await using`, where the engine has them. */

interface Disposable {
  free(): void;
}

/**
 * Lets `using` free an object. A constructor calls it, because an assignment at import would keep the class in every bundle.
 *
 * @internal
 */
export function makeDisposable(prototype: Disposable): void {
  if (typeof Symbol.dispose !== "symbol" || Object.hasOwn(prototype, Symbol.dispose)) return;
  Object.defineProperty(prototype, Symbol.dispose, { value: prototype.free, configurable: true, writable: true });
}
