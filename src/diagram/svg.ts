import type { AnyStateMachine } from 'xstate';
import { drawingOf } from './drawing.ts';
import { type Arrow, type Box, type Layout, layoutOf, type Point } from './layout.ts';
import { baseline, type Line } from './stateText.ts';

/**
 * A machine as an SVG that stands by itself: light or dark as its reader's surroundings are. Every state has
 * `data-state`, every arrow `data-from` and `data-to`, for whoever wants to light them.
 */
export async function svg(machine: AnyStateMachine): Promise<string> {
  const drawing = drawingOf(machine);
  return render(await layoutOf(drawing), drawing.root.description);
}

const margin = 12;
const round = 8;

function render(layout: Layout, description: string): string {
  const [width, height] = [layout.width + 2 * margin, layout.height + 2 * margin];
  const name = layout.boxes[0]?.state.name ?? '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" role="img" aria-label="${escaped(`${name}: ${description}`)}">`,
    `<style>${style}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
    `<rect class="page" x="${-margin}" y="${-margin}" width="${width}" height="${height}" rx="${round}"/>`,
    ...layout.boxes.map(frameSvg),
    ...layout.arrows.map(arrowSvg),
    ...layout.arrows.flatMap(labelSvg),
    ...layout.boxes.map(textSvg),
    '</svg>',
    '',
  ].join('\n');
}

function frameSvg({ state, isRegion, x, y, width, height }: Box): string {
  const kind = [state.kind, ...(isRegion ? ['region'] : [])].join(' ');
  const frame = (inset: number) =>
    `<rect x="${n(x + inset)}" y="${n(y + inset)}" width="${n(width - 2 * inset)}" height="${n(height - 2 * inset)}" rx="${round}"/>`;
  const frames = state.kind === 'final' ? [frame(0), frame(3)] : [frame(0)];
  return `<g class="state ${kind}" data-state="${state.id}">${frames.join('')}</g>`;
}

/** Above the arrows, which may have to pass through the head of a compound state. */
function textSvg({ state, x, y, lines }: Box): string {
  const isOpen = state.children.length > 0;
  return `<g class="${isOpen ? 'head' : 'body'}">${text(lines, x + 12, y + 12)}</g>`;
}

function arrowSvg({ from, to, points }: Arrow): string {
  const start = points[0];
  if (start === undefined) return '';
  const line = `<path class="line" d="${pathOf(points)}" marker-end="url(#tip)"/>`;
  if (from === undefined) {
    const dot = `<circle class="initial" cx="${n(start.x)}" cy="${n(start.y - 5)}" r="5"/>`;
    return `<g class="arrow" data-to="${to}">${dot}${line}</g>`;
  }
  return `<g class="arrow" data-from="${from}" data-to="${to}">${line}</g>`;
}

function labelSvg({ from, to, label }: Arrow): string[] {
  const { x, y, width, height, lines } = label;
  if (from === undefined || lines.length === 0) return [];
  const back = `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="5"/>`;
  return [`<g class="label" data-from="${from}" data-to="${to}">${back}${text(lines, x + 6, y + 3)}</g>`];
}

/** Straight lines with rounded corners. */
function pathOf(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${n(point.x)} ${n(point.y)}`;
      if (after === undefined) return `L${n(point.x)} ${n(point.y)}`;
      const [start, end] = [towards(point, before), towards(point, after)];
      return `L${n(start.x)} ${n(start.y)}Q${n(point.x)} ${n(point.y)} ${n(end.x)} ${n(end.y)}`;
    })
    .join('');
}

/** A point near the corner, on the way to the next one. */
function towards(corner: Point, other: Point): Point {
  const distance = Math.hypot(other.x - corner.x, other.y - corner.y) || 1;
  const share = Math.min(6, distance / 2) / distance;
  return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share };
}

function text(lines: readonly Line[], x: number, y: number): string {
  return lines
    .map((line, index) => {
      const place = `x="${n(x)}" y="${n(y + baseline(index))}"`;
      return `<text class="${line.kind}" ${place}>${escaped(line.text)}</text>`;
    })
    .join('');
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const style = [
  'svg{--page:#fff;--ink:#1d2433;--soft:#5b657a;--line:#7b8699;--box:#f6f8fb;--edge:#b9c2d0;--event:#0b57d0;--guard:#8a4b00;--action:#3f6f2a}',
  '@media(prefers-color-scheme:dark){svg{--page:#12161f;--ink:#e6eaf2;--soft:#9aa6bb;--line:#8391a8;--box:#1b212d;--edge:#3f4a5e;--event:#8ab4ff;--guard:#f0b25c;--action:#9fd08a}}',
  'text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}',
  '.page{fill:var(--page)}',
  '.state rect{fill:var(--box);stroke:var(--edge);stroke-width:1.2}',
  '.compound>rect,.parallel>rect{fill:none}',
  '.region>rect{stroke-dasharray:5 4}',
  '.head text{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}',
  '.name{font-weight:700}.description{fill:var(--soft)}.detail{fill:var(--action)}',
  '.line{fill:none;stroke:var(--line);stroke-width:1.3}.tip,.initial{fill:var(--line)}',
  '.label rect{fill:var(--page)}.event{fill:var(--event);font-weight:600}.guard{fill:var(--guard)}.action{fill:var(--action)}',
].join('');
