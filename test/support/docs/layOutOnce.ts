import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layout, Picture } from '@weeder/machine-diagrams';
import { layOut } from '@weeder/machine-diagrams/layout';
import elk from 'elkjs/package.json' with { type: 'json' };
import keys from '../../../generated/layoutKeys.json' with { type: 'json' };
import layouts from '../../../generated/layouts.json' with { type: 'json' };
import { checkout } from '../cache.ts';

const sources = ['packages/machine-diagrams/src/{layout,picture}.ts', 'packages/machine-diagrams/layout/*.ts'];
/** Changes when the layout of a picture may. */
const version = hash(
  elk.version,
  ...globSync(sources, { cwd: checkout })
    .sort()
    .map((file) => readFileSync(join(checkout, file), 'utf8')),
);
/** The committed layouts, by their hashes. */
const committed = new Map(
  Object.values<readonly Layout[]>(layouts).flatMap((all) => all.map((one) => [hashOf(one), one])),
);
const layoutHashes: Readonly<Record<string, string>> = keys;
const laidOut = new Map<string, Promise<Layout>>();

/**
 * Lays out a picture, which takes seconds of CPU for each, if no committed layout is of this picture and of this version of
 * the layout: `generated/layoutKeys.json` has the hash of the layout for each key.
 */
export function layOutOnce(picture: Picture): Promise<Layout> {
  const key = keyOf(picture);
  const layout = laidOut.get(key) ?? committedLayout(key) ?? layOut(picture);
  laidOut.set(key, layout);
  return layout;
}

/** The key of a picture's layout. */
export function keyOf(picture: Picture): string {
  return hash(version, JSON.stringify(picture));
}

export function hashOf(layout: Layout): string {
  return hash(JSON.stringify(layout));
}

function committedLayout(key: string): Promise<Layout> | undefined {
  const layout = committed.get(layoutHashes[key] ?? '');
  return layout === undefined ? undefined : Promise.resolve(layout);
}

function hash(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}
