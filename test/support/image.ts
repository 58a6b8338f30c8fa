import { z } from 'zod';
import { type Bundle, makeBundle } from '../../scripts/image/bundle.ts';
import type { Architecture } from '../../scripts/image/pins.ts';
import { readTar } from '../../scripts/image/tar.ts';

const Descriptor = z.object({ digest: z.string(), size: z.number() });
const Layout = z.object({
  manifests: z.tuple([Descriptor.extend({ annotations: z.record(z.string(), z.string()) })]),
});
const Index = z.object({
  manifests: z.array(Descriptor.extend({ platform: z.object({ architecture: z.string(), os: z.string() }) })),
});
const Manifest = z.object({ config: Descriptor, layers: z.array(Descriptor) });
const Config = z.object({
  created: z.string(),
  architecture: z.string(),
  os: z.string(),
  config: z.record(z.string(), z.unknown()),
  rootfs: z.object({ diff_ids: z.array(z.string()) }),
  history: z.array(z.object({ created_by: z.string() })),
});

let made: Promise<Bundle> | undefined;

/** The bundle of the image: the same one for all tests of a process. */
export function imageBundle(): Promise<Bundle> {
  made ??= makeBundle();
  return made;
}

/** The image for one platform, as a container runtime reads it from an OCI archive. */
export function readImage(archive: Buffer, architecture: Architecture) {
  const files = new Map(readTar(archive).map(({ name, content }) => [name, content]));
  const file = (name: string): Buffer => files.get(name) ?? missing(name);
  const blob = ({ digest }: { readonly digest: string }): Buffer => file(`blobs/${digest.replace(':', '/')}`);
  const json = (content: Buffer): unknown => JSON.parse(content.toString());
  const [{ annotations: names, digest }] = Layout.parse(json(file('index.json'))).manifests;
  const index = Index.parse(json(blob({ digest })));
  const descriptor =
    index.manifests.find(({ platform }) => platform.architecture === architecture) ?? missing(architecture);
  const manifest = Manifest.parse(json(blob(descriptor)));
  return {
    names,
    index,
    config: Config.parse(json(blob(manifest.config))),
    layers: manifest.layers.map((layer) => ({ ...layer, blob: blob(layer) })),
  };
}

function missing(what: string): never {
  throw new Error(`The archive has no ${what}.`);
}
