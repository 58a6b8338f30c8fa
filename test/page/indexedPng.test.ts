import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { indexedPng } from './support/pictures/indexedPng.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length);
  numbers.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
}

/** A picture of 24 bits, from its rows with their filters. */
function png(width: number, rows: readonly (readonly number[])[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const [data, none] = [deflateSync(Buffer.from(rows.flat())), Buffer.alloc(0)];
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', none)]);
}

/** The chunks of a picture, by type, of which each has the right checksum. */
function chunksOf(picture: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < picture.length; ) {
    const end = at + 8 + picture.readUInt32BE(at);
    assert.equal(picture.readUInt32BE(end), crc32(picture.subarray(at + 4, end)));
    chunks.set(picture.toString('latin1', at + 4, at + 8), picture.subarray(at + 8, end));
    at = end + 4;
  }
  return chunks;
}

/** The colours of a picture with a palette, by row. */
function coloursOf(picture: Buffer): string[][] {
  const chunks = chunksOf(picture);
  const [palette, data] = [chunks.get('PLTE') ?? Buffer.alloc(0), inflateSync(chunks.get('IDAT') ?? '')];
  const width = picture.readUInt32BE(16);
  return Array.from({ length: picture.readUInt32BE(20) }, (_, row) => {
    const [filter, ...indexes] = data.subarray(row * (width + 1), (row + 1) * (width + 1));
    assert.equal(filter, 0);
    return indexes.map((index) => palette.toString('hex', 3 * index, 3 * index + 3));
  });
}

test('a picture with a palette has the same pixels, with whatever filters its rows were written', () => {
  const rows = [
    [0, 0x10, 0x20, 0x30, 0xff, 0x80, 0x00],
    // The differences to the pixel on the left, above, of both the mean, and what Paeth predicts.
    [1, 0x11, 0x22, 0x33, 0x01, 0x01, 0xff],
    [2, 0x01, 0x01, 0x01, 0xf0, 0x00, 0x02],
    [3, 0x01, 0x01, 0x01, 0x02, 0x02, 0x02],
    [4, 0x01, 0x01, 0x01, 0x03, 0x03, 0x03],
  ];
  assert.deepEqual(coloursOf(indexedPng(png(2, rows))), [
    ['102030', 'ff8000'],
    ['112233', '122332'],
    ['122334', '022334'],
    ['0a121b', '081c29'],
    ['0b131c', '0b1f2c'],
  ]);
});

test('of many colours the rarest become the most similar ones', () => {
  const white = [0xff, 0xff, 0xff];
  const common = Array.from({ length: 63 }, (_, index) => [index, 0, 0]).flatMap((colour) => [...colour, ...colour]);
  const rare = [0xfe, 0xfe, 0xfd];
  const row = [0, ...white, ...white, ...common, ...rare];
  const [colours = []] = coloursOf(indexedPng(png((row.length - 1) / 3, [row])));
  assert.equal(colours.at(-1), 'ffffff');
  assert.equal(new Set(colours).size, 64);
});

test('a picture of another kind is refused', () => {
  const interlaced = png(1, [[0, 1, 2, 3]]);
  interlaced[28] = 1;
  assert.throws(() => indexedPng(interlaced), /not a PNG as Chromium writes it/);
});
