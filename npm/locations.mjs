// Blanks the places of panics in a wasm module: which line of which source file. A panic there is a trap without words, so nobody
// reads them; blank, they take no room after compression, and no path of the machine that built the module is shipped.

/** The module without them. Sizes and addresses stay. */
export function withoutLocations(module) {
  const bytes = Buffer.from(module);
  const segments = segmentsOf(bytes);
  const find = (address, length) => {
    const segment = segments.find(({ start, size }) => address >= start && address + length <= start + size);
    return segment === undefined ? -1 : segment.at + address - segment.start;
  };
  const names = [];
  for (const { at, size } of segments) {
    for (let i = at; i + 16 <= at + size; i += 4) {
      // A place is the address and length of the file's name, a line and a column.
      const [address, length, line, column] = [0, 4, 8, 12].map((word) => bytes.readUInt32LE(i + word));
      if (length < 4 || length > 300 || line === 0 || line > 1e6 || column === 0 || column > 1e4) continue;
      const name = find(address, length);
      if (name < 0 || !/^[\x21-\x7e]+\.rs$/.test(bytes.toString("latin1", name, name + length))) continue;
      names.push([name, length]);
      bytes.fill(0, i, i + 16);
    }
  }
  for (const [name, length] of names) bytes.fill(0, name, name + length);
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
