import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The names of architectures in images and Debian, and those of Node. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const;
export type Architecture = keyof typeof architectures;

/** The file that `npm run image:pins` writes, and `npm run image` reads. */
export const pinsFile = process.env['WEEDER_IMAGE_PINS'] ?? join(import.meta.dirname, 'pins.json');

const DebianPackage = z.object({ name: z.string(), version: z.string(), url: z.url(), sha256: z.string() });
const Runtime = z.object({
  /** Of the npm package with the binary of Node, as in a lock file. */
  nodeIntegrity: z.string(),
  packages: z.array(DebianPackage),
});
const Pins = z.object({ node: z.string(), amd64: Runtime, arm64: Runtime });

export type DebianPackage = z.infer<typeof DebianPackage>;
/** The versions and hashes of everything that the image takes from elsewhere. */
export type Pins = z.infer<typeof Pins>;

export function readPins(path = pinsFile): Pins {
  return Pins.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Returns the npm package that has the binary of Node, without its version. */
export function nodePackage(architecture: Architecture): string {
  return `node-linux-${architectures[architecture]}`;
}
