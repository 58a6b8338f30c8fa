import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import ELK from 'elkjs/lib/elk.bundled.js';
import type { Drawing, DrawnState, DrawnTransition } from './drawing.ts';
import { arrowText, type Line, linesOf, sizeOf } from './stateText.ts';

/** Where everything of a drawing is, in pixels from the upper left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

export interface Box {
  readonly state: DrawnState;
  /** A region of a parallel state. */
  readonly isRegion: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly Line[];
}

export interface Arrow {
  /** The ids of its states; undefined at an initial mark. */
  readonly from: string | undefined;
  readonly to: string;
  readonly points: readonly Point[];
  readonly label: Label;
}

/** Without lines at an initial mark. */
export interface Label {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly Line[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

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
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.edgeLabels.inline': 'true',
};

const edge = 12;
const mark = 10;

/** Lays a drawing out with ELK: boxes in boxes, arrows around them, labels on the arrows. */
export async function layoutOf(drawing: Drawing): Promise<Layout> {
  const texts = new Map(allStates(drawing.root).map((state) => [state.id, linesOf(state, withinOf(drawing, state))]));
  const bundles = bundlesOf(drawing);
  const edges = [...initialEdges(drawing.root), ...bundles.map(edgeOf)];
  const graph: ElkNode = { id: '', layoutOptions: options, children: [nodeOf(drawing.root, texts)], edges };
  const placed = await new ELK.default().layout(graph);
  return {
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes: boxOf(drawing.root, placedNodes(placed), texts, false),
    arrows: (placed.edges ?? []).map((each) => arrowOf(each, bundles[Number(each.id)])),
  };
}

/** What leads from one state to one other: a single arrow with all the labels, or the picture drowns in lines. */
interface Bundle {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly Line[];
}

function bundlesOf({ transitions }: Drawing): Bundle[] {
  const bundles = new Map<string, Bundle>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (to === undefined) continue;
    const key = `${from} ${to}`;
    bundles.set(key, { from, to, lines: [...(bundles.get(key)?.lines ?? []), ...arrowText(transition)] });
  }
  return [...bundles.values()];
}

/** What happens in a state without leaving it. */
function withinOf({ transitions }: Drawing, { id }: DrawnState): DrawnTransition[] {
  return transitions.filter(({ from, to }) => from === id && to === undefined);
}

function nodeOf(state: DrawnState, texts: ReadonlyMap<string, readonly Line[]>): ElkNode {
  const text = sizeOf(texts.get(state.id) ?? []);
  const [width, height] = [text.width + 2 * edge, text.height + 2 * edge];
  if (state.children.length === 0) return { id: state.id, width, height };
  const children = state.children.map((child) => nodeOf(child, texts));
  const initial = state.initial === undefined ? [] : [{ id: markOf(state), width: mark, height: mark }];
  return {
    id: state.id,
    children: [...initial, ...children],
    layoutOptions: {
      'elk.padding': `[top=${height + 8},left=20,bottom=20,right=20]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${width}, ${height})`,
    },
  };
}

function initialEdges(root: DrawnState): ElkExtendedEdge[] {
  return allStates(root).flatMap((state) =>
    state.initial === undefined ? [] : [{ id: markOf(state), sources: [markOf(state)], targets: [state.initial] }],
  );
}

function edgeOf({ from, to, lines }: Bundle, index: number): ElkExtendedEdge {
  const { width, height } = sizeOf(lines);
  const label = { id: `label ${index}`, text: to, width: width + 12, height: height + 6 };
  return { id: `${index}`, sources: [from], targets: [to], labels: [label] };
}

/** The id of the dot that stands for the beginning within a state. */
function markOf({ id }: DrawnState): string {
  return `initial ${id}`;
}

function allStates(state: DrawnState): DrawnState[] {
  return [state, ...state.children.flatMap(allStates)];
}

function placedNodes(node: ElkNode): Map<string, ElkNode> {
  const children = node.children ?? [];
  return new Map([
    ...children.map((child) => [child.id, child] as const),
    ...children.flatMap((child) => [...placedNodes(child)]),
  ]);
}

function boxOf(
  state: DrawnState,
  placed: ReadonlyMap<string, ElkNode>,
  texts: ReadonlyMap<string, readonly Line[]>,
  isRegion: boolean,
): Box[] {
  const { x = 0, y = 0, width = 0, height = 0 } = placed.get(state.id) ?? {};
  const box = { state, isRegion, x, y, width, height, lines: texts.get(state.id) ?? [] };
  return [box, ...state.children.flatMap((child) => boxOf(child, placed, texts, state.kind === 'parallel'))];
}

function arrowOf({ sections, labels, targets }: ElkExtendedEdge, bundle: Bundle | undefined): Arrow {
  const [section] = sections ?? [];
  const [label] = labels ?? [];
  const points = section === undefined ? [] : [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  const lines = bundle?.lines ?? [];
  const { x = 0, y = 0, width = 0, height = 0 } = label ?? {};
  return { from: bundle?.from, to: targets[0] ?? '', points, label: { x, y, width, height, lines } };
}
