import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import { boxPadding, type Layout, type PlacedArrow, type Point, type Rectangle } from '../../../src/diagram/layout.ts';
import { allBoxes, type Picture } from '../../../src/diagram/picture.ts';
import { headOf, markOf } from './elkGraph.ts';

/** The positions that ELK has found. */
export function layoutOf({ root, arrows }: Picture, placed: ElkNode): Layout {
  const nodes = new Map(placedNodes(placed));
  const edges = new Map((placed.edges ?? []).map((edge) => [edge.id, edge]));
  const boxes = allBoxes(root).map((box) => ({ ...box, place: rectangle(nodes.get(box.id)) }));
  return {
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes: Object.fromEntries(boxes.map(({ id, place }) => [id, place])),
    heads: Object.fromEntries(
      boxes.map(({ id, place: { x, y } }) => {
        const head = nodes.get(headOf(id));
        return [id, { x: tenth(head?.x ?? x + boxPadding), y: tenth(head?.y ?? y + boxPadding) }];
      }),
    ),
    arrows: arrows.map((_, index) => placedArrow(edges.get(`${index}`))),
    initial: Object.fromEntries(
      boxes.flatMap(({ initial }) => (initial === undefined ? [] : [[initial, pointsOf(edges.get(markOf(initial)))]])),
    ),
  };
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
