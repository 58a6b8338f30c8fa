import { boxPadding, headPlace, type Layout, margin, type Rectangle } from '../src/layout.ts';
import { allBoxes, type Picture, type PictureArrow, type PictureBox } from '../src/picture.ts';
import { graphOf, type Way } from './elkGraph.ts';
import { layoutOf } from './elkLayout.ts';
import { faultsOf, headOf, labelsOf, linesOf, overlap, placeOf } from './faults.ts';

/** Pixels from a text to an arrow beside it. */
const distance = 5;

/** The size within which a drawing can be taken in, in pixels. */
export const screen = { width: 1200, height: 1400 };

/** Seeds of the order in which ELK tries to avoid crossings. */
const seeds = [1, 2, 3, 4, 5, 6];

/** The next ones are tried only while none of the drawings is flawless and fits on the screen. */
function attempts(): Way[][] {
  return ['LEFT', 'NONE'].flatMap((compaction) => seeds.map((seed) => waysWith(seed, compaction)));
}

function waysWith(seed: number, compaction: string): Way[] {
  const rows = [
    { rows: 'NETWORK_SIMPLEX', inRow: 0 },
    ...[1, 2, 3, 4].map((inRow) => ({ rows: 'MIN_WIDTH', inRow })),
    ...[4, 3, 2].map((inRow) => ({ rows: 'COFFMAN_GRAHAM', inRow })),
  ];
  const places = ['SPACE_EFFICIENT_LAYER', 'HEAD_LAYER', 'TAIL_LAYER'];
  return ['DEPTH_FIRST', 'GREEDY'].flatMap((cycles) =>
    places.flatMap((labels) => rows.map((each) => ({ seed, cycles, compaction, labels, ...each }))),
  );
}

/**
 * Lays out a picture with ELK, in about a second. Of several ways it takes the best: no text is crossed, it fits on the
 * screen, it begins at the top, few arrows cross, and they are short.
 */
export async function layOut(picture: Picture): Promise<Layout> {
  let first: Candidate | undefined;
  for (const ways of attempts()) {
    for (const way of ways) {
      // ELK cannot compact every graph ("Invalid hitboxes for scanline constraint calculation").
      const layout = await layOutThus(picture, way).catch(() => undefined);
      if (layout === undefined) continue;
      const candidate = { layout, costs: costsOf(picture, layout) };
      if (first === undefined || compare(candidate.costs, first.costs) < 0) first = candidate;
    }
    if (first?.costs[0] === 0 && first.costs[1] === 0) break;
  }
  if (first === undefined) throw new Error('There is no way to lay out a picture.');
  return first.layout;
}

interface Candidate {
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
  return [faultsOf(picture, layout).length, excess, upwards(picture, layout).length, crossings(arrows), length];
}

/** The arrows from an initial state, or from a parent to its child, that lead upwards. */
export function upwards({ boxes, arrows }: Picture, layout: Layout): PictureArrow[] {
  const initial = new Set(allBoxes(boxes).map((box) => box.initial));
  return arrows
    .filter(({ from, kind }) => kind === 'spawn' || initial.has(from))
    .filter(({ from, to }) => placeOf(from, layout).y >= placeOf(to, layout).y);
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
  const open = allBoxes(picture.boxes).filter(({ children }) => children.length > 0);
  const moved = open.map((box) => ({ id: box.id, x: freePlace(picture, box, layout) }));
  const crossed = moved.filter(({ id, x }) => x === undefined && !nodes.has(id)).map(({ id }) => id);
  if (crossed.length > 0) return layOutThus(picture, way, new Set([...nodes, ...crossed]));
  const heads = moved.flatMap(({ id, x }) => {
    const before = headPlace(id, layout);
    return x === undefined || x === before.x ? [] : [[id, { x, y: before.y }] as const];
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
    ...labelsOf(picture, layout).map((label) => label.place),
    ...box.children.map(({ id }) => placeOf(id, layout)),
  ].filter((each) => overlap(each, { ...head, x: left, width }));
  const isFree = (x: number) =>
    !obstacles.some((each) => overlap(each, { ...head, x: x - distance, width: head.width + 2 * distance }));
  return [left + boxPadding, ...obstacles.map((each) => Math.ceil(each.x + each.width) + distance)]
    .toSorted((one, other) => one - other)
    .find((x) => x <= last + 1 && isFree(x));
}
