/* Inflating the wasm, which comes compressed inside the module: as text it would be a third larger after gzip than before. */

/** Code lengths of the code lengths come in this order (RFC 1951, 3.2.7). */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LENGTH = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const DISTANCE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];

/** The fixed codes, which a compressor takes for a short block (RFC 1951, 3.2.6): so many literals, then thirty-two distances. */
const FIXED_LITERALS = 288;
const fixed = (): Uint8Array => {
  const lengths = new Uint8Array(FIXED_LITERALS + 32).fill(8);
  lengths.fill(9, 144, 256).fill(7, 256, 280).fill(5, FIXED_LITERALS);
  return lengths;
};

/** Bits of a code at most. */
const BITS = 15;

interface Zlib {
  inflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}

interface Host {
  process?: { getBuiltinModule?: (name: string) => Zlib | undefined };
}

/** Inflates raw deflate data that we made ourselves, to a known size. */
export function inflate(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const zlib = (globalThis as Host).process?.getBuiltinModule?.("node:zlib");
  return zlib ? zlib.inflateRawSync(bytes) : inflateHere(bytes, size);
}

/** A table from the next fifteen bits to `symbol << 4 | length`. */
function tableOf(lengths: Uint8Array): Uint16Array {
  const table = new Uint16Array(1 << BITS);
  let code = 0;
  for (let length = 1; length <= BITS; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      // Codes stand in the stream with their first bit first.
      let start = 0;
      for (let bit = 0; bit < length; bit++) start |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let at = start; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
      code++;
    }
    code <<= 1;
  }
  return table;
}

/**
 * The same without zlib. Data that is not what we made is an error, whatever it is.
 *
 * @internal
 */
export function inflateHere(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  let [at, end, held, count] = [0, 0, 0, 0];
  const bits = (wanted: number): number => {
    while (count < wanted) {
      if (at === bytes.length) throw damaged();
      held |= bytes[at++]! << count;
      count += 8;
    }
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return value;
  };
  const symbol = (table: Uint16Array): number => {
    while (count < BITS && at < bytes.length) {
      held |= bytes[at++]! << count;
      count += 8;
    }
    const entry = table[held & ((1 << BITS) - 1)]!;
    const length = entry & 15;
    if (length === 0 || length > count) throw damaged();
    held >>>= length;
    count -= length;
    return entry >> 4;
  };
  /** A block that is stored as it is begins at the next whole byte, with its length and that with all bits turned. */
  const stored = (): void => {
    bits(count & 7);
    const length = bits(16);
    if (bits(16) !== (length ^ 0xffff)) throw damaged();
    at -= count >> 3;
    held = count = 0;
    if (length > bytes.length - at || length > size - end) throw damaged();
    out.set(bytes.subarray(at, (at += length)), end);
    end += length;
  };
  /** The number of literals of a block with codes of its own, and the lengths of all its codes. */
  const own = (): [number, Uint8Array] => {
    const [literals, distances, orders] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const order = new Uint8Array(19);
    for (let i = 0; i < orders; i++) order[ORDER[i]!] = bits(3);
    const codes = tableOf(order);
    const lengths = new Uint8Array(literals + distances);
    for (let i = 0; i < lengths.length; ) {
      const code = symbol(codes);
      if (code < 16) {
        lengths[i++] = code;
        continue;
      }
      const value = code === 16 ? lengths[i - 1] : 0;
      const times = code === 16 ? 3 + bits(2) : code === 17 ? 3 + bits(3) : 11 + bits(7);
      if (value === undefined || times > lengths.length - i) throw damaged();
      lengths.fill(value, i, (i += times));
    }
    return [literals, lengths];
  };
  for (let last = 0; last === 0; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 3) throw damaged();
    if (kind === 0) {
      stored();
      continue;
    }
    const [literals, lengths] = kind === 1 ? [FIXED_LITERALS, fixed()] : own();
    const literal = tableOf(lengths.subarray(0, literals));
    const distance = tableOf(lengths.subarray(literals));
    for (let code; (code = symbol(literal)) !== 256; ) {
      if (code < 256) {
        if (end === size) throw damaged();
        out[end++] = code;
        continue;
      }
      // The extra bits grow by one every four codes of a length, every two of a distance; the last length has none.
      const length = code - 257;
      if (length >= LENGTH.length) throw damaged();
      let rest = LENGTH[length]! + bits(length < 8 || length === 28 ? 0 : (length >> 2) - 1);
      const back = symbol(distance);
      if (back >= DISTANCE.length) throw damaged();
      const from = end - DISTANCE[back]! - bits(back < 4 ? 0 : (back >> 1) - 1);
      if (from < 0 || rest > size - end) throw damaged();
      for (let i = from; rest > 0; rest--) out[end++] = out[i++]!;
    }
  }
  if (end !== size) throw damaged();
  return out;
}

function damaged(): Error {
  return new Error("deltafold's wasm is damaged");
}
