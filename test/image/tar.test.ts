import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileEntry, folderEntry, linkEntry, readTar, writeTar } from '../../scripts/image/tar.ts';

const entries = [
  fileEntry('b/program', 'x'.repeat(513), 0o755),
  fileEntry('a', 'text'),
  linkEntry('link', 'b/program'),
  folderEntry('tmp', 0o1777),
];
const archive = writeTar(entries);

test('tar reads what was written: files, folders and symbolic links, with permissions, as root in 1970', () => {
  const options = { input: archive, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } } as const;
  const listed = execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--file=-'], options);
  assert.deepEqual(listed.trimEnd().replaceAll(/ +/g, ' ').split('\n'), [
    '-rw-r--r-- 0/0 4 1970-01-01 00:00 a',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 b/',
    '-rwxr-xr-x 0/0 513 1970-01-01 00:00 b/program',
    'lrwxrwxrwx 0/0 0 1970-01-01 00:00 link -> b/program',
    'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
  ]);
});

test('an archive is read as it was written, and in any order of its entries the same', () => {
  const read = readTar(archive);
  for (const entry of entries) {
    const readEntry = read.find(({ name }) => name === entry.name);
    assert.deepEqual({ link: undefined, ...readEntry }, { link: undefined, ...entry });
  }
  assert.deepEqual(writeTar(entries.toReversed()), archive);
  assert.deepEqual(writeTar(read), archive);
});

test('a name that does not fit into a header is an error', () => {
  assert.throws(() => writeTar([fileEntry('n'.repeat(101), '')]), /is too long/);
});
