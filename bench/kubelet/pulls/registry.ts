import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const largestFile = 64 * 1024 * 1024;
const dockerType = (name: string): string => `application/vnd.docker.${name}`;
const manifestType = dockerType('distribution.manifest.v2+json');

/** A registry at the loopback address that serves one image under every name. It is away until it starts. */
export interface Registry {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface RegistryImage {
  readonly manifest: Buffer;
  /** The config and the layer, by digest. */
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** Reads an archive that `packWorkload` has written. */
export async function readImage(archive: string): Promise<RegistryImage> {
  const [config, layer] = await Promise.all([fileOf(archive, 'config.json'), fileOf(archive, 'layer.tar')]);
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: described(dockerType('container.image.v1+json'), config),
    layers: [described(dockerType('image.rootfs.diff.tar'), layer)],
  };
  return {
    manifest: Buffer.from(JSON.stringify(manifest)),
    blobs: new Map([config, layer].map((content) => [digestOf(content), content])),
  };
}

export function createRegistry(port: number, image: RegistryImage | undefined): Registry {
  let server: Server | undefined;
  return {
    async start() {
      server = createServer(({ url = '', method }, response) => {
        const [kind, reference = ''] = url.split('?')[0]?.split('/').slice(-2) ?? [];
        const isManifest = kind === 'manifests';
        const content = isManifest ? image?.manifest : image?.blobs.get(reference);
        if (content === undefined) {
          response.writeHead(404).end();
          return;
        }
        response.writeHead(200, {
          'content-type': isManifest ? manifestType : 'application/octet-stream',
          'content-length': content.length,
          'docker-content-digest': digestOf(content),
        });
        response.end(method === 'HEAD' ? undefined : content);
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async stop() {
      if (server === undefined) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Has the containerd of a node pull the images of this host from the loopback address. */
export async function redirect(folder: string, host: string, port: number): Promise<void> {
  const place = join(folder, 'certs.d', host);
  await mkdir(place, { recursive: true });
  const url = `http://127.0.0.1:${port}`;
  await writeFile(
    join(place, 'hosts.toml'),
    `server = "${url}"\n\n[host."${url}"]\n  capabilities = ["pull", "resolve"]\n`,
  );
}

function described(mediaType: string, content: Buffer) {
  return { mediaType, size: content.length, digest: digestOf(content) };
}

async function fileOf(archive: string, name: string): Promise<Buffer> {
  const { stdout } = await run('tar', ['-xOf', archive, name], { encoding: 'buffer', maxBuffer: largestFile });
  return stdout;
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
