/** What xz compresses with: LZMA2, which is LZMA in chunks (https://tukaani.org/xz/xz-file-format.txt, 7-zip.org/sdk.html). */

/** The decompressed bytes, which are also the dictionary. */
export interface Output {
  bytes: Buffer;
  length: number;
}

/** The places of the probabilities, one after the other. */
const isMatch = 0;
const isRep = isMatch + (12 << 4);
const isRepG0 = isRep + 12;
const isRepG1 = isRepG0 + 12;
const isRepG2 = isRepG1 + 12;
const isRep0Long = isRepG2 + 12;
const slots = isRep0Long + (12 << 4);
const special = slots + (4 << 6);
const align = special + 128;
const matchLength = align + 16;
const repLength = matchLength + 2 + (16 << 4) + 256;
const literals = repLength + 2 + (16 << 4) + 256;

const half = 1024;

/** Appends what the chunks from `at` on contain, and returns the place after them. */
export function decodeLzma2(input: Buffer, start: number, output: Output): number {
  const decoder = lzmaDecoder(input, output);
  let at = start;
  for (let control = input.readUInt8(at); control !== 0; control = input.readUInt8(at)) {
    if (control === 1 || control >= 0xe0) decoder.resetDictionary();
    at = control < 0x80 ? copyChunk(input, at, output) : decodeChunk(input, at, output, decoder);
  }
  return at + 1;
}

/** A chunk that is not compressed. */
function copyChunk(input: Buffer, at: number, output: Output): number {
  const size = input.readUInt16BE(at + 1) + 1;
  input.copy(withRoom(output, size), output.length, at + 3, at + 3 + size);
  output.length += size;
  return at + 3 + size;
}

function decodeChunk(input: Buffer, at: number, output: Output, decoder: ReturnType<typeof lzmaDecoder>): number {
  const control = input.readUInt8(at);
  const size = ((control & 0x1f) << 16) + input.readUInt16BE(at + 1) + 1;
  const packed = input.readUInt16BE(at + 3) + 1;
  const hasProperties = control >= 0xc0;
  if (hasProperties) decoder.setProperties(input.readUInt8(at + 5));
  if (control >= 0xa0) decoder.resetState();
  const start = at + (hasProperties ? 6 : 5);
  withRoom(output, size);
  decoder.decode(start, size);
  return start + packed;
}

/** The bytes of an output, with room for more. */
function withRoom(output: Output, more: number): Buffer {
  if (output.bytes.length < output.length + more) {
    const larger = Buffer.alloc(2 * (output.length + more));
    output.bytes.copy(larger, 0, 0, output.length);
    output.bytes = larger;
  }
  return output.bytes;
}

function lzmaDecoder(input: Buffer, output: Output) {
  let probabilities = new Uint16Array(0);
  let [literalContext, literalMask, positionMask] = [0, 0, 0];
  let [state, rep0, rep1, rep2, rep3] = [0, 0, 0, 0, 0];
  let [at, range, code, dictionary] = [0, 0, 0, 0];

  function normalize(): void {
    if (range >= 0x1000000) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | (input[at] ?? 0)) >>> 0;
    at += 1;
  }

  function bit(index: number): 0 | 1 {
    normalize();
    const probability = probabilities[index] ?? 0;
    const bound = (range >>> 11) * probability;
    if (code < bound) {
      range = bound;
      probabilities[index] = probability + ((2 * half - probability) >>> 5);
      return 0;
    }
    range -= bound;
    code -= bound;
    probabilities[index] = probability - (probability >>> 5);
    return 1;
  }

  function directBits(count: number): number {
    let value = 0;
    for (let each = 0; each < count; each += 1) {
      normalize();
      range >>>= 1;
      const isSet = code >= range;
      if (isSet) code -= range;
      value = value * 2 + (isSet ? 1 : 0);
    }
    return value;
  }

  function tree(index: number, count: number): number {
    let node = 1;
    for (let each = 0; each < count; each += 1) node = node * 2 + bit(index + node);
    return node - (1 << count);
  }

  /** The lowest bit first. */
  function reversedTree(index: number, count: number): number {
    let [node, value] = [1, 0];
    for (let each = 0; each < count; each += 1) {
      const next = bit(index + node);
      node = node * 2 + next;
      value += next << each;
    }
    return value;
  }

  function lengthFrom(index: number, positionState: number): number {
    if (bit(index) === 0) return tree(index + 2 + (positionState << 3), 3);
    if (bit(index + 1) === 0) return 8 + tree(index + 130 + (positionState << 3), 3);
    return 16 + tree(index + 258, 8);
  }

  /** A literal after a match begins like the byte that would continue it, up to the first bit that differs. */
  function afterMatch(index: number, match: number): number {
    let node = 1;
    for (let place = 7, isSame = true; isSame && node < 0x100; place -= 1) {
      const expected = (match >> place) & 1;
      const next = bit(index + ((1 + expected) << 8) + node);
      node = node * 2 + next;
      isSame = next === expected;
    }
    return node;
  }

  function literal(position: number): void {
    const { bytes, length } = output;
    const before = position === 0 ? 0 : (bytes[length - 1] ?? 0);
    const context = ((position & literalMask) << literalContext) + (before >> (8 - literalContext));
    const index = literals + 0x300 * context;
    let node = state < 7 ? 1 : afterMatch(index, bytes[length - rep0 - 1] ?? 0);
    while (node < 0x100) node = node * 2 + bit(index + node);
    bytes[length] = node & 0xff;
    output.length += 1;
    state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
  }

  function distance(length: number): number {
    const slot = tree(slots + (Math.min(length, 3) << 6), 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const base = (2 + (slot & 1)) * 2 ** count;
    if (slot < 14) return base + reversedTree(special + base - slot, count);
    return base + directBits(count - 4) * 16 + reversedTree(align, 4);
  }

  /** Which of the last distances is used again; it becomes the first. Returns whether the match has only one byte. */
  function repeat(positionState: number): boolean {
    if (bit(isRepG0 + state) === 0) return bit(isRep0Long + (state << 4) + positionState) === 0;
    if (bit(isRepG1 + state) === 0) [rep0, rep1] = [rep1, rep0];
    else if (bit(isRepG2 + state) === 0) [rep0, rep1, rep2] = [rep2, rep0, rep1];
    else [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
    return false;
  }

  function matched(positionState: number): number {
    if (bit(isRep + state) === 0) {
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      const length = lengthFrom(matchLength, positionState);
      state = state < 7 ? 7 : 10;
      rep0 = distance(length);
      return length + 2;
    }
    const isShort = repeat(positionState);
    const length = isShort ? 1 : lengthFrom(repLength, positionState) + 2;
    const afterLiteral = isShort ? 9 : 8;
    state = state < 7 ? afterLiteral : 11;
    return length;
  }

  function copy(length: number): void {
    const { bytes } = output;
    for (let each = 0; each < length; each += 1, output.length += 1)
      bytes[output.length] = bytes[output.length - rep0 - 1] ?? 0;
  }

  return {
    resetDictionary() {
      dictionary = output.length;
    },
    setProperties(properties: number) {
      literalContext = properties % 9;
      const literalPosition = Math.floor(properties / 9) % 5;
      literalMask = (1 << literalPosition) - 1;
      positionMask = (1 << Math.floor(properties / 45)) - 1;
      probabilities = new Uint16Array(literals + (0x300 << (literalContext + literalPosition)));
    },
    resetState() {
      probabilities.fill(half);
      [state, rep0, rep1, rep2, rep3] = [0, 0, 0, 0, 0];
    },
    /** Appends so many bytes. */
    decode(start: number, size: number) {
      range = 0xffffffff;
      code = input.readUInt32BE(start + 1);
      at = start + 5;
      for (const end = output.length + size; output.length < end; ) {
        const position = output.length - dictionary;
        const positionState = position & positionMask;
        if (bit(isMatch + (state << 4) + positionState) === 0) literal(position);
        else copy(matched(positionState));
      }
    },
  };
}
