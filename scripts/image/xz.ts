import { decodeLzma2, type Output } from './lzma.ts';

const magic = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);
/** The number of bytes by the kind of a check. */
const checkSizes: Readonly<Record<number, number>> = { 0: 0, 1: 4, 4: 8, 10: 32 };
const lzma2 = 0x21;

/**
 * Decompresses a stream of xz, which Node cannot, so that no program of the operating system is needed. Its checks are not
 * verified: what is decompressed has a pinned hash.
 */
export function decompressXz(input: Buffer): Buffer {
  const checkSize = checkSizes[input.readUInt8(7)];
  if (!input.subarray(0, magic.length).equals(magic) || checkSize === undefined) throw new Error('This is not xz.');
  const output: Output = { bytes: Buffer.alloc(4 * input.length), length: 0 };
  let at = 12;
  // Where a block could begin, the index begins with a 0.
  while (input.readUInt8(at) !== 0) {
    const end = decodeLzma2(input, at + headerSize(input, at), output);
    at = Math.ceil(end / 4) * 4 + checkSize;
  }
  return output.bytes.subarray(0, output.length);
}

/** The size of the header of a block, whose only filter is LZMA2. */
function headerSize(input: Buffer, start: number): number {
  const flags = input.readUInt8(start + 1);
  let at = start + 2;
  const sizes = (flags & 0x40 ? 1 : 0) + (flags & 0x80 ? 1 : 0);
  for (let each = 0; each < sizes; each += 1) {
    while (input.readUInt8(at) >= 0x80) at += 1;
    at += 1;
  }
  if ((flags & 3) !== 0 || input.readUInt8(at) !== lzma2) throw new Error('This xz has another filter than LZMA2.');
  return (input.readUInt8(start) + 1) * 4;
}
