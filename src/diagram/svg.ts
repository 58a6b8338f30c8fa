import {
  baseline,
  type Layout,
  labelPadding,
  margin,
  type PlacedArrow,
  type Point,
  type Rectangle,
  sizeOf,
} from './layout.ts';
import { allBoxes, type Line, type Part, type Picture, type PictureArrow, type PictureBox } from './picture.ts';
import { svgStyle } from './svgStyle.ts';

const round = 8;

/**
 * A picture as a self-contained SVG with a light and a dark theme. Every box has the attribute `data-state`, and every
 * arrow, or the lines that replace it, `data-from` and `data-to`, so that a page can highlight them.
 */
export function svg({ title, root, arrows }: Picture, layout: Layout): string {
  const [width, height] = [layout.width + 2 * margin, layout.height + 2 * margin];
  const [boxes, placed] = [allBoxes(root), arrows.map((arrow, index) => ({ arrow, place: layout.arrows[index] }))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${svgStyle}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
    `<rect class="page" x="${-margin}" y="${-margin}" width="${width}" height="${height}" rx="${round}"/>`,
    ...boxes.map((box) => frame(box, layout.boxes[box.id])),
    ...Object.entries(layout.initial).map(([to, points]) => beginning(to, points)),
    ...placed.map(({ arrow, place }) => line(arrow, place)),
    ...placed.map(({ arrow, place }) => label(arrow, place)),
    ...boxes.map((box) => head(box, layout.heads[box.id])),
    '</svg>',
    '',
  ].join('\n');
}

function frame({ id, kind, children }: PictureBox, place: Rectangle | undefined): string {
  if (place === undefined) return '';
  const isOpen = children.length > 0;
  const inner = kind === 'final' ? rectangle(place, 3) : '';
  return `<g class="box ${kind}${isOpen ? ' open' : ''}" data-state="${id}">${rectangle(place, 0)}${inner}</g>`;
}

function rectangle({ x, y, width, height }: Rectangle, inset: number): string {
  const [left, top] = [x + inset, y + inset];
  return `<rect x="${left}" y="${top}" width="${width - 2 * inset}" height="${height - 2 * inset}" rx="${round}"/>`;
}

function head({ id, lines }: PictureBox, place: Point | undefined): string {
  return place === undefined ? '' : `<g>${text(lines, place.x, place.y, id)}</g>`;
}

function beginning(to: string, points: readonly Point[]): string {
  const [start] = points;
  if (start === undefined) return '';
  const dot = `<circle class="initial" cx="${start.x}" cy="${start.y - 5}" r="5"/>`;
  return `<g class="arrow" data-to="${to}">${dot}${path(points)}</g>`;
}

function line({ from, to }: PictureArrow, place: PlacedArrow | undefined): string {
  if (place === undefined) return '';
  return `<g class="arrow" data-from="${from}" data-to="${to}">${path(place.points)}</g>`;
}

function label({ from, to, lines }: PictureArrow, place: PlacedArrow | undefined): string {
  if (place === undefined || lines.length === 0) return '';
  const { x, y } = place.label;
  const words = text(lines, x + labelPadding.x, y + labelPadding.y, from);
  return `<g class="label" data-from="${from}" data-to="${to}">${rectangle(place.label, 0)}${words}</g>`;
}

/** Straight lines with rounded corners. */
function path(points: readonly Point[]): string {
  const steps = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined || after === undefined) return `${before === undefined ? 'M' : 'L'}${at(point)}`;
    return `L${at(towards(point, before))}Q${at(point)} ${at(towards(point, after))}`;
  });
  return `<path class="line" d="${steps.join('')}" marker-end="url(#tip)"/>`;
}

/** A point near the corner, towards another point. */
function towards(corner: Point, other: Point): Point {
  const distance = Math.hypot(other.x - corner.x, other.y - corner.y) || 1;
  const share = Math.min(6, distance / 2) / distance;
  return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share };
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}

/** Lines of text from a state. Those that replace an arrow have a frame that a page can highlight. */
function text(lines: readonly Line[], x: number, y: number, from: string): string {
  const drawn = ([index, { parts }]: readonly [number, Line]) =>
    `<text x="${x}" y="${y + baseline(index)}">${parts.map(span).join(' ')}</text>`;
  const groups = Map.groupBy(lines.entries(), ([, { leadsTo }]) => leadsTo);
  return [...groups]
    .map(([to, rows]) => {
      const words = rows.map(drawn).join('');
      if (to === undefined) return words;
      const above = sizeOf(lines.slice(0, rows[0]?.[0])).height;
      const { width, height } = sizeOf(rows.map(([, line]) => line));
      const place = { x: x - 3, y: y + above, width: width + 6, height };
      return `<g class="exit" data-from="${from}" data-to="${to}">${rectangle(place, 0)}${words}</g>`;
    })
    .join('');
}

function span({ kind, text: words }: Part): string {
  return `<tspan class="${kind}">${escaped(words)}</tspan>`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
