import { createHash } from 'node:crypto';
import type { Layer } from './layers.ts';
import type { Architecture } from './pins.ts';
import { fileEntry, gzip, type TarEntry, writeTar } from './tar.ts';

const mediaType = 'application/vnd.oci.image';

/** A stored blob, as its users describe it. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** A compressed layer. */
export interface PackedLayer {
  readonly title: string;
  /** Of the uncompressed archive. */
  readonly diffId: string;
  readonly blob: Buffer;
}

/** The image for one platform. */
export interface PlatformImage {
  readonly architecture: Architecture;
  readonly layers: readonly PackedLayer[];
}

export interface ImageOptions {
  /** In full, such as `docker.io/library/weeder:0.1.0`. */
  readonly name: string;
  /** The `config` of the image configuration. */
  readonly config: object;
  /** Seconds since 1970. */
  readonly created: number;
}

export function packLayer({ title, entries }: Layer): PackedLayer {
  const archive = writeTar(entries);
  return { title, diffId: digestOf(archive), blob: gzip(archive) };
}

/** Returns an OCI image layout as a tar archive, and the digest of the index with an image for each platform. */
export function ociArchive(
  images: readonly PlatformImage[],
  options: ImageOptions,
): { readonly archive: Buffer; readonly digest: string } {
  const blobs = new Map<string, TarEntry>();
  const store = (type: string, blob: Buffer): Descriptor => {
    const digest = digestOf(blob);
    const name = `blobs/${digest.replace(':', '/')}`;
    blobs.set(name, fileEntry(name, blob));
    return { mediaType: type, digest, size: blob.length };
  };
  const storeJson = (kind: string, value: object): Descriptor => {
    const type = `${mediaType}.${kind}+json`;
    return store(type, json(kind === 'config.v1' ? value : { schemaVersion: 2, mediaType: type, ...value }));
  };
  const manifests = images.map((image) => {
    const config = storeJson('config.v1', configOf(image, options));
    const layers = image.layers.map(({ blob }) => store(`${mediaType}.layer.v1.tar+gzip`, blob));
    const platform = { architecture: image.architecture, os: 'linux' };
    return { ...storeJson('manifest.v1', { config, layers }), platform };
  });
  const index = storeJson('index.v1', { manifests });
  // containerd imports the image under the first of these names.
  const annotations = {
    'io.containerd.image.name': options.name,
    'org.opencontainers.image.ref.name': options.name.split(':').at(-1),
  };
  const layout = { schemaVersion: 2, mediaType: `${mediaType}.index.v1+json`, manifests: [{ ...index, annotations }] };
  const files = [
    fileEntry('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
    fileEntry('index.json', json(layout)),
    ...blobs.values(),
  ];
  return { archive: writeTar(files), digest: index.digest };
}

function configOf({ architecture, layers }: PlatformImage, { config, created }: ImageOptions): object {
  const date = new Date(created * 1000).toISOString().replace('.000', '');
  return {
    created: date,
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ title }) => ({ created: date, created_by: title })),
  };
}

function digestOf(blob: Buffer): string {
  return `sha256:${createHash('sha256').update(blob).digest('hex')}`;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
