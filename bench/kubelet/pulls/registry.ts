import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const largestFile = 64 * 1024 * 1024;

/** A registry on the loopback address that serves one image under every name, and can be away. */
export interface Registry {
  /** From now on it answers. */
  start(): Promise<void>;
  /** Connections are refused. */
  stop(): Promise<void>;
}

/** `archive`: the image, as `ctr images import` reads it. */
export async function createRegistry(port: number, archive: string): Promise<Registry> {
  const [config, layer] = await Promise.all([fileOf(archive, 'config.json'), fileOf(archive, 'layer.tar')]);
  const type = (name: string): string => `application/vnd.docker.${name}`;
  const described = (mediaType: string, content: Buffer) => ({
    mediaType,
    size: content.length,
    digest: digestOf(content),
  });
  const manifestType = type('distribution.manifest.v2+json');
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described(type('container.image.v1+json'), config),
      layers: [described(type('image.rootfs.diff.tar'), layer)],
    }),
  );
  const blobs = new Map([config, layer].map((content) => [digestOf(content), content]));
  let server: Server | undefined;
  return {
    async start() {
      server = createServer(({ url = '', method }, response) => {
        const [kind, reference = ''] = url.split('?')[0]?.split('/').slice(-2) ?? [];
        const content = kind === 'manifests' ? manifest : blobs.get(reference);
        const header = { 'content-type': kind === 'manifests' ? manifestType : 'application/octet-stream' };
        if (content === undefined) response.writeHead(404).end();
        else {
          const about = { 'content-length': content.length, 'docker-content-digest': digestOf(content) };
          response.writeHead(200, { ...header, ...about }).end(method === 'HEAD' ? undefined : content);
        }
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async stop() {
      if (server === undefined) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      server = undefined;
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

async function fileOf(archive: string, name: string): Promise<Buffer> {
  const { stdout } = await run('tar', ['-xOf', archive, name], { encoding: 'buffer', maxBuffer: largestFile });
  return stdout;
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
