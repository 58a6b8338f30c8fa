import type { Moment } from '../../protocol/moment.ts';
import { createSvg } from '../dom.ts';
import { clockTime, fullTime } from '../times.ts';
import type { Lane, Range, Span } from './spans.ts';

interface ChartParts {
  readonly lanes: readonly Lane[];
  readonly range: Range;
  readonly now: number;
  /** Pixels. */
  readonly width: number;
  /** Whether a line marks the current time, as in a replay. */
  readonly hasCursor: boolean;
}

const laneHeight = 40;
const axisHeight = 24;
const timeWidth = 66;
/** Milliseconds between two grid lines. The smallest value that leaves room for the times is used. */
const grids = [1, 5, 10, 30, 60, 300, 600, 900].map((seconds) => seconds * 1000);

/** Draws the lanes one below the other. The table has the same content for screen readers. */
export function chart({ lanes, range, now, width, hasCursor }: ChartParts): SVGSVGElement {
  const height = axisHeight + lanes.length * laneHeight;
  const x = (t: number) => ((t - range.from) / (range.to - range.from)) * width;
  const drawing = createSvg('svg', {
    attributes: { width: `${width}`, height: `${height}`, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
  });
  const spacing = grids.find((each) => (each / (range.to - range.from)) * width >= 90) ?? 1_800_000;
  for (let t = Math.ceil(range.from / spacing) * spacing; t <= range.to; t += spacing) {
    drawing.append(line('grid', x(t), axisHeight - 4, height));
    if (x(t) + timeWidth < width) drawing.append(words('soft', x(t) + 4, 13, clockTime(t)));
  }
  for (const [index, lane] of lanes.entries()) {
    drawing.append(laneOf(lane, axisHeight + index * laneHeight, width, now, x));
  }
  if (hasCursor && now <= range.to) drawing.append(line('cursor', x(now), 0, height));
  return drawing;
}

function laneOf(lane: Lane, top: number, width: number, now: number, x: (t: number) => number): SVGGElement {
  const middle = top + 18;
  const group = createSvg('g', { class: 'lane', attributes: { 'data-about': lane.about } });
  const bar = (kind: string, { from, to, hasBegunBefore }: Span) => {
    const start = hasBegunBefore ? 0 : Math.max(-2, x(from));
    const end = Math.min(width + 2, x(to ?? now));
    if (end < 0 || start > width) return;
    const place = { x: `${start}`, y: `${middle}`, width: `${Math.max(2, end - start)}`, height: '14', rx: '3' };
    group.append(createSvg('rect', { class: kind, attributes: place }));
  };
  group.append(line('base', 0, middle + 7, middle + 7, width), words('name', 4, top + 13, lane.about));
  for (const span of lane.windows) bar('window', span);
  for (const span of lane.outages) bar('outage', span);
  for (const at of lane.recoveries) {
    const peak = `M${x(at)} ${middle - 1}l4 -6h-8z`;
    group.append(createSvg('path', { class: 'recovery', attributes: { d: peak } }));
  }
  const mark = (kind: string, moment: Moment, from: number) => {
    const drawn = line(kind, x(moment.t), from, middle + 16);
    drawn.append(createSvg('title', { text: titleOf(moment) }));
    group.append(drawn);
  };
  for (const moment of lane.deletions) mark('deletion', moment, middle - 2);
  for (const moment of lane.problems) mark('problem', moment, middle + 4);
  return group;
}

/** The tooltip of a mark. */
function titleOf({ t, words: event, pod, detail }: Moment): string {
  return [fullTime(t), event, pod, detail].filter(Boolean).join(' · ');
}

function line(kind: string, x: number, top: number, bottom: number, to = x): SVGLineElement {
  const place = { x1: `${x}`, x2: `${to}`, y1: `${top}`, y2: `${bottom}` };
  return createSvg('line', { class: kind, attributes: place });
}

function words(kind: string, x: number, y: number, text: string): SVGTextElement {
  return createSvg('text', { class: kind, text, attributes: { x: `${x}`, y: `${y}` } });
}
