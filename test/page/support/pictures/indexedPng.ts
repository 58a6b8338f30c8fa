import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** More are not distinguished in a picture of text and signs. */
const maxColours = 64;

/**
 * The same picture with a palette, which takes a third of the bytes. The rarest colours become the most similar ones of
 * the palette: in a picture of text, they are the edges of letters. Takes what Chromium writes: 8 bits for each channel,
 * not interlaced.
 */
export function indexedPng(png: Buffer): Buffer {
  const { width, height, pixels } = decoded(png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, maxColours)
    .map(([colour]) => channelsOf(colour));
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, channelsOf(colour))]));
  const rows = Buffer.alloc(height * (width + 1));
  for (const [at, colour] of pixels.entries()) {
    // Each row begins with the number of its filter: 0, none.
    rows[at + Math.floor(at / width) + 1] = indexes.get(colour) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flat());
  const data = deflateSync(rows, { level: 9 });
  const chunks = [chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

/** The pixels as 0xRRGGBB. */
function decoded(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, type, , , interlace] = png.subarray(24, 29);
  const channels = type === 6 ? 4 : 3;
  if (depth !== 8 || (type !== 2 && type !== 6) || interlace !== 0) throw new Error('not a PNG as Chromium writes it');
  const data = inflateSync(Buffer.concat(partsOf(png, 'IDAT')));
  const pixels = new Uint32Array(width * height);
  const length = width * channels;
  let above = Buffer.alloc(length);
  for (let y = 0; y < height; y += 1) {
    const from = y * (length + 1);
    const row = unfiltered(data[from] ?? 0, data.subarray(from + 1, from + 1 + length), above, channels);
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = row.readUIntBE(x * channels, 3);
    above = row;
  }
  return { width, height, pixels };
}

function partsOf(png: Buffer, type: string): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === type)
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return parts;
}

/** A row without its filter (PNG, section 9): each byte was written as the difference to what its neighbours predict. */
function unfiltered(filter: number, row: Buffer, above: Buffer, channels: number): Buffer<ArrayBuffer> {
  const result = Buffer.alloc(row.length);
  for (const [at, byte] of row.entries()) {
    const [left, up, corner] = [result[at - channels] ?? 0, above[at] ?? 0, above[at - channels] ?? 0];
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    result[at] = byte + predicted;
  }
  return result;
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  if (Number(toLeft) <= Number(toUp) && Number(toLeft) <= Number(toCorner)) return left;
  return Number(toUp) <= Number(toCorner) ? up : corner;
}

type Channels = readonly [red: number, green: number, blue: number];

function channelsOf(colour: number): Channels {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

/** The index of the most similar colour. */
function nearest(palette: readonly Channels[], [red, green, blue]: Channels): number {
  const distances = palette.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
