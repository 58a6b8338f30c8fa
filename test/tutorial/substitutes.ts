import type { Reader } from './reader.ts';

/**
 * What this machine does in place of kind, which needs a container engine and images of registries, and of npm, which
 * would fetch packages. All other commands of a page run as they are.
 */
export const substitutes: readonly (readonly [command: RegExp, run: (reader: Reader, file: string) => unknown])[] = [
  // The clone has the packages of this checkout; `buildArchives` has built the image.
  [/^npm ci$/, () => {}],
  [/^npm run image$/, (reader) => reader.takeImage()],
  // The same programs as on a node of kind, but CoreDNS and kube-proxy run beside the pods, and `ptp` connects them.
  [/^kind create cluster$/, (reader) => reader.createCluster()],
  // As kind does it.
  [/^kind load image-archive (\S+)$/, (reader, file) => reader.loadArchive(file)],
  [/^kind delete cluster$/, (reader) => reader.deleteCluster()],
];
