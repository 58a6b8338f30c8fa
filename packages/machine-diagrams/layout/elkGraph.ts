import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import { boxPadding, labelSize, sizeOf } from '../src/layout.ts';
import { allBoxes, type Picture, type PictureArrow, type PictureBox } from '../src/picture.ts';

/** One way to lay out a picture. */
export interface Way {
  readonly seed: number;
  /** ELK's strategy for the arrows that lead upwards. */
  readonly cycles: string;
  /** Whether boxes move upwards to where they have room. */
  readonly compaction: string;
  /** ELK's strategy for the rows of boxes. */
  readonly rows: string;
  /** The maximum number of boxes in a row, for the strategy that has one. */
  readonly inRow: number;
  /** ELK's strategy for the place of a label along its arrow. */
  readonly labels: string;
}

/** The options of the graph. */
const graphOptions: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.edgeRouting': 'ORTHOGONAL',
};
/** The options of each open box, because boxes do not inherit those of the graph. */
const boxOptions: Readonly<Record<string, string>> = {
  'elk.spacing.nodeNode': '12',
  'elk.spacing.edgeLabel': '3',
  'elk.spacing.edgeNode': '10',
  'elk.spacing.edgeEdge': '7',
  'elk.layered.spacing.nodeNodeBetweenLayers': '8',
  'elk.layered.spacing.edgeNodeBetweenLayers': '5',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '6',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
};
const mark = 10;
/** The distance from the edge of an open box to its content. */
const inset = 12;

/**
 * The graph of a picture. The head of an open box is above its content, where arrows to the content may cross it. As a
 * node of the content it is avoided by all arrows, but it needs more room: that is for the boxes in `nodes`.
 */
export function graphOf({ boxes: roots, arrows }: Picture, way: Way, nodes: ReadonlySet<string>): ElkNode {
  const boxes = allBoxes(roots);
  const edges = [
    ...boxes.flatMap(initialEdge),
    ...arrows.map(edgeOf),
    ...boxes.filter(({ id }) => nodes.has(id)).flatMap((box) => headEdges(box, arrows)),
  ];
  return {
    id: '',
    layoutOptions: { ...graphOptions, ...optionsOf(way), 'elk.padding': '[top=0,left=0,bottom=0,right=0]' },
    children: roots.map((box) => nodeOf(box, way, nodes, arrows)),
    edges,
  };
}

function nodeOf(box: PictureBox, way: Way, nodes: ReadonlySet<string>, arrows: readonly PictureArrow[]): ElkNode {
  if (box.kind === 'join') return { id: box.id, ...barFor(arrows.filter(({ to }) => to === box.id).length) };
  const text = sizeOf(box.lines);
  const [width, height] = [text.width + 2 * boxPadding, text.height + 2 * boxPadding];
  if (box.children.length === 0) return { id: box.id, width, height };
  const dot = box.initial === undefined ? [] : [{ id: markOf(box.initial), width: mark, height: mark }];
  const isNode = nodes.has(box.id);
  const layoutOptions = { 'elk.layered.layering.layerConstraint': 'FIRST' };
  const head = isNode ? [{ id: headOf(box.id), ...text, layoutOptions }] : [];
  return {
    id: box.id,
    children: [...head, ...dot, ...box.children.map((child) => nodeOf(child, way, nodes, arrows))],
    layoutOptions: {
      ...optionsOf(way),
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(0,${width})`,
      'elk.padding': `[top=${isNode ? boxPadding : height},left=${inset},bottom=${inset},right=${inset}]`,
    },
  };
}

/** The size of the bar at which so many lines join. */
function barFor(count: number): { readonly width: number; readonly height: number } {
  return { width: 14 * count, height: 5 };
}

function optionsOf({ seed, cycles, compaction, rows, inRow, labels }: Way): Readonly<Record<string, string>> {
  return {
    ...boxOptions,
    'elk.layered.layering.strategy': rows,
    'elk.layered.layering.coffmanGraham.layerBound': `${inRow}`,
    'elk.layered.layering.minWidth.upperBoundOnWidth': `${inRow}`,
    'elk.layered.edgeLabels.centerLabelPlacementStrategy': labels,
    'elk.randomSeed': `${seed}`,
    'elk.layered.cycleBreaking.strategy': cycles,
    'elk.layered.compaction.postCompaction.strategy': compaction,
  };
}

function initialEdge({ initial }: PictureBox): ElkExtendedEdge[] {
  if (initial === undefined) return [];
  return [{ id: markOf(initial), sources: [markOf(initial)], targets: [initial] }];
}

function edgeOf({ from, to, lines }: PictureArrow, index: number): ElkExtendedEdge {
  const label = { id: `label ${index}`, text: to, ...labelSize(lines) };
  return { id: `${index}`, sources: [from], targets: [to], labels: lines.length === 0 ? [] : [label] };
}

/** Edges that are not drawn: they put the content of a box below its head. */
function headEdges(box: PictureBox, arrows: readonly PictureArrow[]): ElkExtendedEdge[] {
  const { id, initial, children } = box;
  const below = new Set([
    initial,
    ...arrows.flatMap((arrow) => {
      const [source, target] = waysBetween(box, arrow);
      return source === undefined ? [] : [target];
    }),
  ]);
  const first = children.filter((child) => !below.has(child.id)).flatMap((child) => hidden(headOf(id), child.id));
  return initial === undefined ? first : [...first, ...hidden(headOf(id), markOf(initial))];
}

/** The children of a box that an arrow leaves and enters: none for an arrow within a child. */
function waysBetween({ children }: PictureBox, { from, to }: PictureArrow): (string | undefined)[] {
  const childOf = (state: string) => children.find((child) => allBoxes([child]).some(({ id }) => id === state))?.id;
  const [source, target] = [childOf(from), childOf(to)];
  return source === target ? [] : [source, target];
}

function hidden(from: string, to: string): ElkExtendedEdge[] {
  return [{ id: `hidden ${from} ${to}`, sources: [from], targets: [to] }];
}

/** The id of the dot that marks the initial state. */
export function markOf(initial: string): string {
  return `initial ${initial}`;
}

/** The id of the head of an open box. */
export function headOf(box: string): string {
  return `head ${box}`;
}
