import type { Moment } from '../../protocol/moment.ts';
import { createSvg } from '../dom.ts';
import { span as length } from '../format.ts';
import { dayAndTime, fullTime } from '../times.ts';
import { type MarkKind, shapes } from './kinds.ts';
import type { ChartRow } from './lanes.ts';
import type { Lane, Range, Span } from './spans.ts';

/** A bar or a mark, and the event that it opens. Pixels in the drawing. */
export interface Target {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
  readonly moment: Moment;
  /** A mark is at the time of its event, a bar begins with it. */
  readonly isMark: boolean;
}

interface Scale {
  readonly range: Range;
  readonly now: number;
  readonly end: number;
  readonly chosen: Moment | undefined;
  readonly width: number;
  readonly x: (t: number) => number;
}

interface DrawnRow {
  readonly group: SVGGElement;
  /** Those in front last. */
  readonly targets: readonly Target[];
}

/** Pixels. Marks of one kind that are nearer to each other are one mark. */
const nearest = 8;
const barHeight = 12;

export function drawLane(row: ChartRow, top: number, scale: Scale): DrawnRow {
  if ('heading' in row) return { group: createSvg('g', {}, text('heading', 4, top + 22, row.heading)), targets: [] };
  const { lane } = row;
  const { width } = scale;
  const targets: Target[] = [];
  const group = createSvg('g', { class: 'lane', attributes: { 'data-about': lane.about } });
  const middle = top + 22;
  group.append(createSvg('line', { attributes: { x2: `${width}`, y1: `${middle}`, y2: `${middle}` } }));
  for (const bar of [
    ...drawBars('window', lane.windows, top, scale),
    ...drawBars('outage', lane.outages, top, scale),
  ]) {
    group.append(bar.element);
    if (bar.target !== undefined) targets.push(bar.target);
  }
  for (const { kind, moments } of clusters(lane, scale)) {
    const [moment] = moments;
    if (moment === undefined) continue;
    const at = scale.x(moment.t);
    group.append(drawMark(kind, moments, at, middle, scale.chosen));
    targets.push({ x1: at - 7, x2: at + 7, y1: top + 13, y2: top + 31, moment, isMark: true });
  }
  group.append(label(lane, top, scale));
  return { group, targets };
}

function drawBars(kind: 'window' | 'outage', spans: readonly Span[], top: number, scale: Scale) {
  return spans.flatMap((span) => {
    const [x1, x2] = ends(span, scale);
    if (x2 < 0 || x1 > scale.width) return [];
    const { moment } = span;
    const place = { x: `${x1}`, width: `${x2 - x1}`, y: `${top + 16}`, height: `${barHeight}`, rx: '3' };
    const isChosen = moment !== undefined && moment === scale.chosen;
    const element = createSvg('rect', { class: isChosen ? `${kind} chosen` : kind, attributes: place });
    element.append(createSvg('title', { text: titleOfSpan(kind, span) }));
    const box = { x1: x1 - 2, x2: x2 + 2, y1: top + 13, y2: top + 31 };
    return { element, target: moment === undefined ? undefined : { ...box, moment, isMark: false } };
  });
}

/** The name, and since when an outage lasts that began before the range. */
function label({ about, outages }: Lane, top: number, { range, now, end }: Scale): SVGTextElement {
  const name = text('name', 4, top + 12, about);
  const earlier = outages.find(({ from, to }) => from < range.from && (to ?? end) >= range.from);
  if (earlier === undefined) return name;
  const since = ` down since ${dayAndTime(earlier.from, now)}`;
  name.append(createSvg('tspan', { class: 'soft', text: since }));
  return name;
}

/** The left and the right end of a bar, which is at least 2 pixels wide. */
function ends({ from, to, hasBegunBefore }: Span, { x, end, width }: Scale): readonly [number, number] {
  const left = hasBegunBefore ? 0 : Math.max(-4, x(from));
  return [left, Math.max(left + 2, Math.min(width + 4, x(to ?? end)))];
}

function titleOfSpan(kind: 'window' | 'outage', { from, to, hasBegunBefore }: Span): string {
  const name = kind === 'window' ? 'Window' : 'Outage';
  if (to === undefined) return `${name} since ${fullTime(from)}`;
  const began = hasBegunBefore ? '' : `from ${fullTime(from)} `;
  return `${name} ${began}to ${fullTime(to)}${hasBegunBefore ? '' : `, ${length(to - from)}`}`;
}

function drawMark(
  kind: MarkKind,
  moments: readonly Moment[],
  x: number,
  y: number,
  chosen: Moment | undefined,
): SVGPathElement {
  const isDryRun = moments.every((each) => each.isDryRun === true);
  const isChosen = chosen !== undefined && moments.includes(chosen);
  const mark = markOf(kind, isDryRun, `${isChosen ? ' chosen' : ''}`);
  mark.setAttribute('transform', `translate(${x} ${y})`);
  const [first, ...others] = moments;
  const more = others.length > 0 ? ` · and ${others.length} more` : '';
  if (first !== undefined) mark.append(createSvg('title', { text: `${titleOf(first)}${more}` }));
  return mark;
}

/** The shape of a kind of mark, hatched for what only would happen. */
export function markOf(kind: MarkKind, isDryRun: boolean, classes = ''): SVGPathElement {
  const attributes = { d: shapes[kind], ...(isDryRun ? { fill: 'url(#hatch)' } : {}) };
  return createSvg('path', { class: `${kind}${isDryRun ? ' would' : ''}${classes}`, attributes });
}

/** The tooltip of a mark. */
function titleOf({ t, words, pod, detail }: Moment): string {
  return [fullTime(t), words, pod, detail].filter(Boolean).join(' · ');
}

/** The marks in the range; those of a kind that would cover each other are together. */
function clusters({ marks }: Lane, { x, width }: Scale): { readonly kind: MarkKind; readonly moments: Moment[] }[] {
  const all: { kind: MarkKind; moments: Moment[]; x: number }[] = [];
  const newest = new Map<MarkKind, { moments: Moment[]; x: number }>();
  for (const { kind, moment } of marks) {
    const at = x(moment.t);
    if (at < -5 || at > width + 5) continue;
    const last = newest.get(kind);
    if (last !== undefined && at - last.x < nearest) last.moments.push(moment);
    else {
      const cluster = { kind, moments: [moment], x: at };
      all.push(cluster);
      newest.set(kind, cluster);
    }
  }
  return all;
}

function text(kind: string, x: number, y: number, content: string): SVGTextElement {
  return createSvg('text', { class: kind, text: content, attributes: { x: `${x}`, y: `${y}` } });
}
