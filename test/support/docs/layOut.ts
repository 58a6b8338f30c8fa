import { boxPadding, type Layout, margin, type Rectangle } from '../../../src/diagram/layout.ts';
import { allBoxes, type Picture, type PictureBox } from '../../../src/diagram/picture.ts';
import { cachedText } from '../cache.ts';
import { graphOf, type Way } from './elkGraph.ts';
import { layoutOf } from './elkLayout.ts';
import { faultsOf, headOf, linesOf, overlap, placeOf } from './faults.ts';

/** Pixels from a text to an arrow beside it. */
const distance = 5;

/** The size within which a drawing can be taken in, in pixels. */
export const screen = { width: 1800, height: 1400 };

/** Seeds of the order in which ELK tries to avoid crossings: another one is tried while no drawing fits on the screen. */
const seeds = [1, 2, 3, 4, 5, 6];

function waysWith(seed: number): Way[] {
  return ['GREEDY', 'DEPTH_FIRST'].flatMap((cycles) =>
    ['LEFT', 'NONE'].flatMap((compaction) =>
      (['above', 'beside', 'below'] as const).flatMap((alone) =>
        [4, 1].map((inRow) => ({ seed, cycles, compaction, alone, inRow })),
      ),
    ),
  );
}

const sources = ['src/diagram/{layout,picture}.ts', 'test/support/docs/{layOut,elkGraph,elkLayout,faults}.ts'];
const known = new Map<string, Promise<Layout>>();

/**
 * Lays out a picture with ELK, which takes a second, and so only after a change. The result is committed, so that weeder
 * itself needs no layout library.
 */
export function layOut(picture: Picture): Promise<Layout> {
  const [name] = picture.title.split(':');
  const make = async () => JSON.stringify(await best(picture));
  const layout =
    known.get(picture.title) ??
    cachedText(`layout of ${name}`, sources, JSON.stringify(picture), make).then((text) => JSON.parse(text));
  known.set(picture.title, layout);
  return layout;
}

/** The best of several ways: no text is crossed, it fits on the screen, few arrows cross, and they are short. */
async function best(picture: Picture): Promise<Layout> {
  let found: readonly Found[] = [];
  for (const seed of seeds) {
    // A picture in which each box has an arrow gives the same graph in several ways.
    const distinct = new Map(waysWith(seed).map((way) => [JSON.stringify(graphOf(picture, way, new Set())), way]));
    for (const way of distinct.values()) {
      // ELK cannot compact every graph ("Invalid hitboxes for scanline constraint calculation").
      const layout = await layOutThus(picture, way).catch(() => undefined);
      if (layout !== undefined) found = [...found, { layout, costs: costsOf(picture, layout) }];
    }
    found = found.toSorted((one, other) => compare(one.costs, other.costs)).slice(0, 1);
    const [faults, excess] = found[0]?.costs ?? [];
    if (faults === 0 && excess === 0) break;
  }
  const [first] = found;
  if (first === undefined) throw new Error('There is no way to lay out a picture.');
  return first.layout;
}

interface Found {
  readonly layout: Layout;
  /** From the most important to the least important. */
  readonly costs: readonly number[];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((cost, each) => cost !== other[each]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}

/** With its margins. */
export function sizeOfDrawing({ width, height }: Layout): typeof screen {
  return { width: width + 2 * margin, height: height + 2 * margin };
}

function costsOf(picture: Picture, layout: Layout): number[] {
  const arrows = linesOf(picture, layout).map(({ segments }) => segments);
  const { width, height } = sizeOfDrawing(layout);
  const excess = Math.max(0, width - screen.width) + Math.max(0, height - screen.height);
  const length = arrows.flat().reduce((sum, segment) => sum + segment.width + segment.height, 0);
  return [faultsOf(picture, layout).length, excess, crossings(arrows), length];
}

function crossings(arrows: readonly (readonly Rectangle[])[]): number {
  return arrows.reduce((sum, one, index) => {
    const others = arrows.slice(index + 1).flat();
    return sum + one.reduce((count, each) => count + others.filter((other) => overlap(each, other)).length, 0);
  }, 0);
}

/** Lays out a picture. The heads that arrows cross become nodes of the content, which the arrows avoid. */
async function layOutThus(picture: Picture, way: Way, nodes: ReadonlySet<string> = new Set()): Promise<Layout> {
  const { default: ELK } = await import('elkjs/lib/elk.bundled.js');
  const layout = layoutOf(picture, await new ELK.default().layout(graphOf(picture, way, nodes)));
  const open = allBoxes(picture.root).filter(({ children }) => children.length > 0);
  const moved = open.map((box) => ({ id: box.id, x: freePlace(picture, box, layout) }));
  const crossed = moved.filter(({ id, x }) => x === undefined && !nodes.has(id)).map(({ id }) => id);
  if (crossed.length > 0) return layOutThus(picture, way, new Set([...nodes, ...crossed]));
  const heads = moved.map(({ id, x }) => {
    const before = layout.heads[id] ?? { x: 0, y: 0 };
    return [id, { x: x ?? before.x, y: before.y }] as const;
  });
  return { ...layout, heads: { ...layout.heads, ...Object.fromEntries(heads) } };
}

/** The leftmost place in a box for its head, beside the arrows that lead to the content; undefined if there is none. */
function freePlace(picture: Picture, box: PictureBox, layout: Layout): number | undefined {
  const { x: left, width } = placeOf(box.id, layout);
  const head = headOf(box, layout);
  const last = left + width - boxPadding - head.width;
  const obstacles = [
    ...linesOf(picture, layout).flatMap(({ segments }) => segments),
    ...layout.arrows.map(({ label }) => label),
    ...box.children.map(({ id }) => placeOf(id, layout)),
  ].filter((each) => overlap(each, { ...head, x: left, width }));
  const isFree = (x: number) =>
    !obstacles.some((each) => overlap(each, { ...head, x: x - distance, width: head.width + 2 * distance }));
  return [left + boxPadding, ...obstacles.map((each) => Math.ceil(each.x + each.width) + distance)]
    .toSorted((one, other) => one - other)
    .find((x) => x <= last + 1 && isFree(x));
}
