import type { Layout, Picture } from '@weeder/machine-diagrams';
import { layOut } from '@weeder/machine-diagrams/layout';
import { cachedText } from '../cache.ts';

const sources = ['packages/machine-diagrams/src/{layout,picture}.ts', 'packages/machine-diagrams/layout/*.ts'];
const layouts = new Map<string, Promise<Layout>>();

/** Lays out a picture, only after a change. The result is committed, so that weeder itself needs no layout library. */
export function layOutOnce(picture: Picture): Promise<Layout> {
  const [name] = picture.title.split(':');
  const make = async () => JSON.stringify(await layOut(picture));
  const layout =
    layouts.get(picture.title) ??
    cachedText(`layout of ${name}`, sources, JSON.stringify(picture), make).then((text) => JSON.parse(text));
  layouts.set(picture.title, layout);
  return layout;
}
