import * as core from "../gen/core.js";
import { call } from "./error.js";

/** Returns the version of the library, such as `0.1.0`. */
export function version(): string {
  return call(core.version);
}
