/* Streams of the web. Node.js loads them when somebody first looks at one, which would be a good part of an import. */

/** What a class of transforms extends until the first of them is made. */
export const LaterTransform = function () {} as unknown as typeof TransformStream;

/**
 * Puts `TransformStream` in the place of `LaterTransform`. A constructor calls it before `super`, which looks then for what to call.
 *
 * @internal
 */
export function extendTransform(type: { prototype: object }): void {
  if (Object.getPrototypeOf(type) === TransformStream) return;
  Object.setPrototypeOf(type, TransformStream);
  Object.setPrototypeOf(type.prototype, TransformStream.prototype);
}
