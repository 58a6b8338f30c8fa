import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { listen } from '@weeder/kube-runtime/testing';
import { readDeb } from '../../scripts/image/deb.ts';
import { decompressXz } from '../../scripts/image/xz.ts';

/**
 * Made with xz: the description with other properties of LZMA (lc=1, lp=2, pb=0) and checks than usual, the files in blocks
 * of 4 KiB, of which some contain nothing that can be compressed.
 */
const sample = readFileSync(join(import.meta.dirname, '../data/image/sample.deb'));
const squares = Array.from({ length: 1_000 }, (_, number) => `${number} ${number * number}\n`).join('');
const noise = Buffer.concat(
  Array.from({ length: 192 }, (_, number) => createHash('sha256').update(String(number)).digest()),
);

test('a package of Debian is unpacked without a program of the operating system', () => {
  const { control, files } = readDeb(sample);
  assert.equal(control.toString(), 'Package: sample\nVersion: 1\n');
  assert.deepEqual(
    files.map(({ name, link }) => [name, link]),
    [
      ['usr/', undefined],
      ['usr/link', 'squares'],
      ['usr/noise', undefined],
      ['usr/squares', undefined],
    ],
  );
  const contentOf = (name: string) => files.find((each) => each.name === name)?.content;
  assert.deepEqual(contentOf('usr/noise'), noise);
  assert.equal(contentOf('usr/squares')?.toString(), squares);
});

test('what is no package, or no xz, is refused', () => {
  assert.throws(() => readDeb(sample.subarray(1)), /no package of Debian/);
  assert.throws(() => decompressXz(sample), /not xz/);
});

test('a file is downloaded by Node alone, and another answer than 200 is an error', async (t) => {
  const server = createServer(({ url }, response) => {
    if (url === '/sample.deb') response.end(sample);
    else response.writeHead(404).end('none');
  });
  const base = `http://127.0.0.1:${await listen(server)}`;
  const folder = mkdtempSync(join(tmpdir(), 'weeder-fetch-'));
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const script = join(import.meta.dirname, '../../scripts/image/fetchFile.ts');
  const download = (name: string) =>
    promisify(execFile)(process.execPath, [script, `${base}/${name}`, join(folder, name)]);
  await download('sample.deb');
  assert.deepEqual(readFileSync(join(folder, 'sample.deb')), sample);
  await assert.rejects(download('other.deb'), /other\.deb is answered 404/);
});
