import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ociArchive, packLayer } from '../../scripts/image/oci.ts';
import { fileEntry, readTar } from '../../scripts/image/tar.ts';
import { readImage } from '../support/image.ts';

const options = { name: 'docker.io/library/weeder:1.2.3', config: { User: '65532:65532' }, created: 0 };

function imageWith(text: string) {
  const layers = [
    { title: 'system', entries: [fileEntry('etc/passwd', 'root')] },
    { title: 'weeder', entries: [fileEntry('weeder/weeder.js', text)] },
  ].map(packLayer);
  const images = (['amd64', 'arm64'] as const).map((architecture) => ({ architecture, layers }));
  return ociArchive(images, options);
}

const { archive, digest } = imageWith('1');

test('the same content gives the same archive', () => {
  assert.deepEqual(imageWith('1'), { archive, digest });
});

test('one changed byte gives another digest, and only the layer of that file moves', () => {
  const other = imageWith('2');
  assert.notEqual(other.digest, digest);
  const [before, after] = [archive, other.archive].map((each) => readImage(each, 'arm64').layers);
  assert.equal(after?.[0]?.digest, before?.[0]?.digest);
  assert.notEqual(after?.[1]?.digest, before?.[1]?.digest);
});

test('the date of the image is the given one', () => {
  const dated = ociArchive([{ architecture: 'amd64', layers: [] }], { ...options, created: 1_700_000_000 });
  assert.equal(readImage(dated.archive, 'amd64').config.created, '2023-11-14T22:13:20Z');
});

test('every blob has the name of its digest, and its size where it is described', () => {
  const blobs = readTar(archive).filter(({ name }) => /^blobs\/sha256\/./.test(name));
  // The index, two manifests, two configurations, and the two layers that both platforms share.
  assert.equal(blobs.length, 7);
  for (const { name, content } of blobs) {
    assert.equal(name, `blobs/sha256/${createHash('sha256').update(content).digest('hex')}`);
  }
  for (const { size, blob } of readImage(archive, 'amd64').layers) assert.equal(size, blob.length);
});

test('the index has one manifest a platform, under the name that containerd imports', () => {
  const { index, names } = readImage(archive, 'amd64');
  assert.deepEqual(names, {
    'io.containerd.image.name': 'docker.io/library/weeder:1.2.3',
    'org.opencontainers.image.ref.name': '1.2.3',
  });
  const platforms = index.manifests.map(({ platform }) => platform);
  assert.deepEqual(platforms, [
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
});

test('the configuration names the uncompressed layers, and a history', () => {
  const { config, layers } = readImage(archive, 'arm64');
  const digests = layers.map(({ blob }) => `sha256:${createHash('sha256').update(gunzipSync(blob)).digest('hex')}`);
  assert.deepEqual(config.rootfs.diff_ids, digests);
  assert.deepEqual(
    config.history.map(({ created_by }) => created_by),
    ['system', 'weeder'],
  );
  assert.deepEqual([config.architecture, config.os, config.config], ['arm64', 'linux', options.config]);
});

test('the header of a compressed layer names neither a time nor an operating system', () => {
  const [layer] = readImage(archive, 'amd64').layers;
  assert.equal(layer?.blob.subarray(0, 10).toString('hex'), '1f8b08000000000000ff');
});
