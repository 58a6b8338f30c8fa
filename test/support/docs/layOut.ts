import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import ELK from 'elkjs/lib/elk.bundled.js';
import {
  boxPadding,
  type Layout,
  labelPadding,
  type PlacedArrow,
  type Point,
  type Rectangle,
  sizeOf,
} from '../../../src/diagram/layout.ts';
import type { Picture, PictureArrow, PictureBox } from '../../../src/diagram/picture.ts';

const options: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '14',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.edgeLabels.inline': 'true',
};
const mark = 10;
/** The distance from the edge of an open box to its content. */
const inset = 20;

/** Lays out a picture with ELK. The result is committed, so that weeder itself needs no layout library. */
export async function layOut({ root, arrows }: Picture): Promise<Layout> {
  const rows = all(root).flatMap((box) => rowEdges(box, arrows));
  const edges = [...all(root).flatMap(initialEdge), ...arrows.map(edgeOf), ...rows];
  const graph: ElkNode = { id: '', layoutOptions: options, children: [nodeOf(root)], edges };
  const placed = await new ELK.default().layout(graph);
  const nodes = new Map(placedNodes(placed));
  const placedEdges = new Map((placed.edges ?? []).map((edge) => [edge.id, edge]));
  return {
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes: Object.fromEntries(all(root).map(({ id }) => [id, rectangle(nodes.get(id))])),
    arrows: arrows.map((_, index) => placedArrow(placedEdges.get(`${index}`))),
    initial: Object.fromEntries(
      all(root).flatMap(({ initial }) =>
        initial === undefined ? [] : [[initial, pointsOf(placedEdges.get(markOf(initial)))]],
      ),
    ),
  };
}

function nodeOf(box: PictureBox): ElkNode {
  const text = sizeOf(box.lines);
  const [width, height] = [text.width + 2 * boxPadding, text.height + 2 * boxPadding];
  if (box.children.length === 0) return { id: box.id, width, height };
  const right = Math.max(inset, width - inset - leastWidth(box.children));
  const dot = box.initial === undefined ? [] : [{ id: markOf(box.initial), width: mark, height: mark }];
  return {
    id: box.id,
    children: [...dot, ...box.children.map(nodeOf)],
    layoutOptions: {
      'elk.padding': `[top=${height + 8},left=${inset},bottom=${inset},right=${right}]`,
    },
  };
}

/**
 * Returns the minimum width of the children, which may be narrower than the head: ELK has no minimum width for an open
 * box.
 */
function leastWidth(children: readonly PictureBox[]): number {
  return Math.max(
    ...children.map(({ lines, children: within }) => {
      const own = sizeOf(lines).width + 2 * boxPadding;
      return within.length === 0 ? own : Math.max(own, leastWidth(within) + 2 * inset);
    }),
  );
}

function initialEdge({ initial }: PictureBox): ElkExtendedEdge[] {
  if (initial === undefined) return [];
  return [{ id: markOf(initial), sources: [markOf(initial)], targets: [initial] }];
}

function edgeOf({ from, to, lines }: PictureArrow, index: number): ElkExtendedEdge {
  const text = sizeOf(lines);
  const size = { width: text.width + 2 * labelPadding.x, height: text.height + 2 * labelPadding.y };
  return { id: `${index}`, sources: [from], targets: [to], labels: [{ id: `label ${index}`, text: to, ...size }] };
}

const mostInRow = 4;

/** Edges that are not drawn: they put boxes without arrows in rows, because ELK would put all of them in one row. */
function rowEdges({ children, initial }: PictureBox, arrows: readonly PictureArrow[]): ElkExtendedEdge[] {
  const connected = new Set([initial, ...arrows.flatMap(({ from, to }) => [from, to])]);
  const alone = children.filter((child) => !all(child).some(({ id }) => connected.has(id)));
  return alone.flatMap(({ id }, index) => {
    const below = alone[index + mostInRow];
    return below === undefined ? [] : { id: `row ${id}`, sources: [id], targets: [below.id] };
  });
}

/** The id of the dot that marks the initial state. */
function markOf(initial: string): string {
  return `initial ${initial}`;
}

function all(box: PictureBox): PictureBox[] {
  return [box, ...box.children.flatMap(all)];
}

function placedNodes(node: ElkNode): [string, ElkNode][] {
  return (node.children ?? []).flatMap((child) => [[child.id, child], ...placedNodes(child)]);
}

function placedArrow(edge: ElkExtendedEdge | undefined): PlacedArrow {
  return { points: pointsOf(edge), label: rectangle(edge?.labels?.[0]) };
}

function pointsOf(edge: ElkExtendedEdge | undefined): Point[] {
  const [section] = edge?.sections ?? [];
  if (section === undefined) return [];
  return [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(({ x, y }) => ({
    x: tenth(x),
    y: tenth(y),
  }));
}

function rectangle(placed: Partial<Rectangle> | undefined): Rectangle {
  const { x = 0, y = 0, width = 0, height = 0 } = placed ?? {};
  return { x: tenth(x), y: tenth(y), width: tenth(width), height: tenth(height) };
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
