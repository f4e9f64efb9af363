// Blanks what panics would say in a wasm module: the place, which line of which source file, and the words of the compiler's own
// libraries. A panic there is a trap without words, so nobody reads them; blank, they take no room after compression, and no path of
// the machine that built the module is shipped:  node panics.mjs MODULE.wasm

import { readFileSync, writeFileSync } from "node:fs";

/** What only panics say. An error that a caller can see is none of these. */
const WORDS = [
  "called `Option::unwrap()` on a `None` value",
  "called `Result::unwrap()` on an `Err` value",
  "called `Result::unwrap_err()` on an `Ok` value",
  "a formatting trait implementation returned an error when the underlying stream did not",
  "a Display implementation returned an error unexpectedly",
  "internal error: entered unreachable code",
  "Tried to shrink to a larger capacity",
  "index out of bounds: the len is ",
  " but the index is ",
  "range start index ",
  "range end index ",
  " out of range for slice of length ",
  "slice index starts at ",
  " but ends at ",
  "copy_from_slice: source slice length (",
  ") does not match destination slice length (",
  " is not a char boundary; it is inside ",
  " is out of bounds of `",
  "assertion failed: self.is_char_boundary(new_len)",
  "assertion failed: mid <= self.len()",
  "begin <= end (",
  "attempt to divide by zero",
  "capacity overflow",
];

/** The module without them. Sizes and addresses stay. */
function withoutPanics(module) {
  const bytes = Buffer.from(module);
  const segments = segmentsOf(bytes);
  const find = (address, length) => {
    const segment = segments.find(({ start, size }) => address >= start && address + length <= start + size);
    return segment === undefined ? -1 : segment.at + address - segment.start;
  };
  const texts = [];
  for (const { start, at, size } of segments) {
    // They stand at addresses that are multiples of four.
    for (let i = at + ((4 - (start % 4)) % 4); i + 16 <= at + size; i += 4) {
      // A place is the address and length of the file's name, a line and a column.
      const [address, length, line, column] = [0, 4, 8, 12].map((word) => bytes.readUInt32LE(i + word));
      if (length < 4 || length > 300 || line === 0 || line > 1e6 || column === 0 || column > 1e4) continue;
      const name = find(address, length);
      if (name < 0 || !/^[\x21-\x7e]+\.rs$/.test(bytes.toString("latin1", name, name + length))) continue;
      texts.push([name, length]);
      bytes.fill(0, i, i + 16);
    }
    const text = bytes.toString("latin1", at, at + size);
    for (const words of WORDS) {
      for (let found = -1; (found = text.indexOf(words, found + 1)) >= 0; ) texts.push([at + found, words.length]);
    }
  }
  for (const [text, length] of texts) bytes.fill(0, text, text + length);
  return bytes;
}

/** The data segments: address, place in the file, size. */
function segmentsOf(bytes) {
  const segments = [];
  let at = 8;
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const id = bytes[at++];
    const size = number();
    const end = at + size;
    if (id === 11) {
      for (let count = number(); count > 0; count--) {
        // Active, in memory 0, at `i32.const` address, `end`.
        if (number() !== 0 || bytes[at++] !== 0x41) throw new Error("a data segment of a form that is not known");
        const start = number();
        if (bytes[at++] !== 0x0b) throw new Error("a data segment at an address that is not a constant");
        const size = number();
        segments.push({ start, at, size });
        at += size;
      }
    }
    at = end;
  }
  return segments;
}

const [file] = process.argv.slice(2);
writeFileSync(file, withoutPanics(readFileSync(file)));
