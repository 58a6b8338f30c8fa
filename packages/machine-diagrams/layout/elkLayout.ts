import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import type { Layout, PlacedArrow, Point, Rectangle } from '../src/layout.ts';
import { allBoxes, type Picture } from '../src/picture.ts';
import { headOf, markOf } from './elkGraph.ts';

/** The positions that ELK has found. */
export function layoutOf({ boxes: roots, arrows }: Picture, placed: ElkNode): Layout {
  const nodes = new Map(placedNodes(placed));
  const edges = new Map((placed.edges ?? []).map((edge) => [edge.id, edge]));
  const boxes = allBoxes(roots).map((box) => ({ ...box, place: rectangle(nodes.get(box.id)) }));
  return {
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes: Object.fromEntries(boxes.map(({ id, place }) => [id, place])),
    heads: Object.fromEntries(
      boxes.flatMap(({ id }) => {
        const head = nodes.get(headOf(id));
        return head === undefined ? [] : [[id, pointOf(head)]];
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
  return { points: pointsOf(edge), label: pointOf(edge?.labels?.[0] ?? {}) };
}

function pointsOf(edge: ElkExtendedEdge | undefined): Point[] {
  const [section] = edge?.sections ?? [];
  if (section === undefined) return [];
  return [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(pointOf);
}

function pointOf({ x = 0, y = 0 }: Partial<Point>): Point {
  return { x: tenth(x), y: tenth(y) };
}

function rectangle(placed: Partial<Rectangle> | undefined): Rectangle {
  const { x = 0, y = 0, width = 0, height = 0 } = placed ?? {};
  return { x: tenth(x), y: tenth(y), width: tenth(width), height: tenth(height) };
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
