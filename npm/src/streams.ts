/* Web streams. Node.js loads them at the first access, which would take a large part of the import time. */

/** The base class of transforms until the first instance exists. */
export const LazyTransform = function () {} as unknown as typeof TransformStream;

/**
 * Replaces the base class `LazyTransform` by `TransformStream`. A constructor calls it before `super`, which reads the base class then.
 *
 * @internal
 */
export function extendTransform(type: { prototype: object }): void {
  if (Object.getPrototypeOf(type) === TransformStream) return;
  Object.setPrototypeOf(type, TransformStream);
  Object.setPrototypeOf(type.prototype, TransformStream.prototype);
}
