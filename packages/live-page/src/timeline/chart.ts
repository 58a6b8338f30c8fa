import type { Moment } from '../../protocol/moment.ts';
import { createSvg } from '../dom.ts';
import { clockTime } from '../times.ts';
import { drawLane, type Target } from './drawnLane.ts';
import type { ChartRow } from './lanes.ts';
import type { Range } from './spans.ts';

interface ChartParts {
  readonly rows: readonly ChartRow[];
  readonly range: Range;
  readonly now: number;
  /** Until when something that has not ended is drawn. */
  readonly end: number;
  /** In a replay: the time up to which it was played. What lies after it is dimmed. */
  readonly cursor: number | undefined;
  /** The event that the user has chosen. */
  readonly chosen: Moment | undefined;
}

/** The lanes one below the other, with the times above them. The table has the same content for screen readers. */
interface Chart {
  draw(parts: ChartParts): void;
  /** Shows how far a replay was played. */
  moveCursor(to: number): void;
  /** Shows the part of the range that a drag has chosen so far, in shares of the width. */
  select(part: readonly [from: number, to: number] | undefined): void;
  /** The event at a point of the window: that of a mark or bar, if there is one near. */
  targetAt(x: number, y: number): Target | undefined;
  /** Scrolls to the lane of this object. */
  reveal(about: string): void;
}

const laneHeight = 32;
const axisHeight = 24;
/** The room for lanes in the smallest chart, which the style sheet determines. */
const lowest = 94;
const timeWidth = 66;
/** Milliseconds between two grid lines. The smallest value that leaves room for the times is used. */
const grids = [1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 10_800, 43_200].map((seconds) => seconds * 1000);
/** How many lanes outside the visible part are drawn, so that they are there when the user scrolls. */
const spare = 8;

/** A pointer reaches the bars and marks below it. */
const behind = { 'pointer-events': 'none' };

export function createChart(place: HTMLElement): Chart {
  const hidden = { 'aria-hidden': 'true' };
  const axis = createSvg('svg', { class: 'axis', attributes: hidden });
  const body = createSvg('svg', { attributes: hidden });
  const grid = createSvg('g');
  const lanes = createSvg('g');
  const shade = rectangle('later', 0.6);
  const cursor = createSvg('line', { class: 'cursor', attributes: behind });
  const band = rectangle('window', 0.4);
  let drawn: ChartParts | undefined;
  let targets: readonly Target[] = [];
  body.append(hatch(), grid, lanes, shade, cursor, band);
  place.append(axis, body);
  place.addEventListener('scroll', () => drawLanes());

  const width = () => Math.max(200, place.clientWidth);
  const x = (t: number, { from, to }: Range) => ((t - from) / (to - from)) * width();

  /** Only the lanes in view are drawn, so that thousands cost as much as twenty. */
  function drawLanes(): void {
    if (drawn === undefined) return;
    const { rows, range } = drawn;
    const first = Math.max(0, Math.floor(place.scrollTop / laneHeight) - spare);
    const last = Math.ceil((place.scrollTop + place.clientHeight) / laneHeight) + spare;
    const scale = { ...drawn, width: width(), x: (t: number) => x(t, range) };
    const parts = rows.slice(first, last).map((row, index) => drawLane(row, (first + index) * laneHeight, scale));
    targets = parts.flatMap((part) => part.targets);
    lanes.replaceChildren(...parts.map(({ group }) => group));
  }

  function drawGrid({ from, to }: Range, height: number): void {
    const spacing = grids.find((each) => (each / (to - from)) * width() >= 90) ?? 86_400_000;
    const times: Node[] = [];
    const lines: Node[] = [];
    for (let t = Math.ceil(from / spacing) * spacing; t <= to; t += spacing) {
      const at = x(t, { from, to });
      const place = { x1: `${at}`, x2: `${at}`, y1: '0', y2: `${height}` };
      lines.push(createSvg('line', { attributes: { ...place, 'stroke-dasharray': '2 4' } }));
      const text = { text: clockTime(t), attributes: { x: `${at + 4}`, y: '15' } };
      if (at + timeWidth < width()) times.push(createSvg('text', { class: 'soft', ...text }));
    }
    axis.replaceChildren(...times);
    grid.replaceChildren(...lines);
  }

  function moveCursor(to: number): void {
    if (drawn === undefined) return;
    const at = Math.min(width(), Math.max(0, x(to, drawn.range)));
    for (const [name, value] of Object.entries({ x1: at, x2: at })) cursor.setAttribute(name, `${value}`);
    span(shade, at, width());
  }

  return {
    draw(parts) {
      drawn = parts;
      const height = Math.max(lowest, parts.rows.length * laneHeight);
      size(axis, width(), axisHeight);
      size(body, width(), height);
      for (const each of [shade, band]) each.setAttribute('height', `${height}`);
      cursor.setAttribute('y2', `${height}`);
      drawGrid(parts.range, height);
      drawLanes();
      for (const each of [shade, cursor]) each.toggleAttribute('hidden', parts.cursor === undefined);
      if (parts.cursor !== undefined) moveCursor(parts.cursor);
    },
    moveCursor,
    select(part) {
      band.toggleAttribute('hidden', part === undefined);
      if (part !== undefined) span(band, part[0] * width(), part[1] * width());
    },
    targetAt(clientX, clientY) {
      const { left, top } = body.getBoundingClientRect();
      const [atX, atY] = [clientX - left, clientY - top];
      const hit = targets.filter(({ x1, x2, y1, y2 }) => atX >= x1 && atX <= x2 && atY >= y1 && atY <= y2);
      const distance = ({ x1, x2 }: Target) => Math.abs((x1 + x2) / 2 - atX);
      const [nearest] = hit.filter(({ isMark }) => isMark).sort((a, b) => distance(a) - distance(b));
      return nearest ?? hit.at(-1);
    },
    reveal(about) {
      const index = drawn?.rows.findIndex((row) => 'lane' in row && row.lane.about === about) ?? -1;
      if (index === -1) return;
      const [top, room] = [index * laneHeight, place.clientHeight - axisHeight - laneHeight];
      place.scrollTop = Math.min(top, Math.max(top - room, place.scrollTop));
    },
  };
}

function size(element: SVGSVGElement, width: number, height: number): void {
  const values = { width: `${width}`, height: `${height}`, viewBox: `0 0 ${width} ${height}` };
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
}

function rectangle(kind: string, opacity: number): SVGRectElement {
  return createSvg('rect', { class: kind, attributes: { ...behind, opacity: `${opacity}`, hidden: '' } });
}

function span(element: SVGRectElement, from: number, to: number): void {
  element.setAttribute('x', `${Math.min(from, to)}`);
  element.setAttribute('width', `${Math.abs(to - from)}`);
}

/** The filling of what only would happen. */
function hatch(): SVGDefsElement {
  const line = createSvg('path', { attributes: { d: 'M0 0l4 4M-1 3l2 2M3 -1l2 2', stroke: 'currentColor' } });
  const attributes = { id: 'hatch', width: '4', height: '4', patternUnits: 'userSpaceOnUse' };
  return createSvg('defs', {}, createSvg('pattern', { attributes }, line));
}
