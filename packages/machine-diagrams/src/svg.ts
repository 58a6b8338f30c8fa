import {
  baseline,
  headPlace,
  type Layout,
  labelPadding,
  labelSize,
  margin,
  type PlacedArrow,
  type Point,
  type Rectangle,
  sizeOf,
} from './layout.ts';
import { allBoxes, type Line, type Part, type Picture, type PictureArrow, type PictureBox } from './picture.ts';
import { svgStyle } from './svgStyle.ts';

const round = 8;

/** A picture with its positions. */
export interface PlacedPicture {
  readonly picture: Picture;
  readonly layout: Layout;
}

/**
 * Pictures below each other as a self-contained SVG with a light and a dark theme. Every box has the attribute
 * `data-state`, and every arrow, or the lines that replace it, `data-ways`, so that a page can highlight them.
 */
export function svg(placed: readonly PlacedPicture[]): string {
  const width = Math.max(...placed.map(({ layout }) => layout.width)) + 2 * margin;
  const height = placed.reduce((sum, { layout }) => sum + layout.height + 2 * margin, 0);
  const tops = placed.map((_, index) =>
    placed.slice(0, index).reduce((sum, { layout }) => sum + layout.height + 2 * margin, margin),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(placed[0]?.picture.title ?? '')}">`,
    `<style>${svgStyle}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
    `<rect class="page" width="${width}" height="${height}" rx="${round}"/>`,
    ...placed.flatMap((each, index) => [`<g transform="translate(${margin} ${tops[index]})">`, ...drawn(each), '</g>']),
    '</svg>',
    '',
  ].join('\n');
}

function drawn({ picture, layout }: PlacedPicture): string[] {
  const boxes = allBoxes(picture.boxes);
  const arrows = picture.arrows.map((arrow, index) => ({ arrow, place: layout.arrows[index] }));
  return [
    ...boxes.map((box) => frame(box, layout.boxes[box.id])),
    ...Object.values(layout.initial).map(beginning),
    ...arrows.map(({ arrow, place }) => line(arrow, place)),
    ...arrows.map(({ arrow, place }) => label(arrow, place)),
    ...boxes.map(({ id, lines }) => textGroup(lines, headPlace(id, layout))),
  ];
}

function frame({ id, kind, children }: PictureBox, place: Rectangle | undefined): string {
  if (place === undefined) return '';
  const isOpen = children.length > 0;
  const inner = kind === 'final' ? rectangle(place, 3) : '';
  if (kind === 'place' || kind === 'actor' || kind === 'join') return `<g class="${kind}">${rectangle(place, 0)}</g>`;
  return `<g class="box ${kind}${isOpen ? ' open' : ''}" data-state="${id}">${rectangle(place, 0)}${inner}</g>`;
}

function rectangle({ x, y, width, height }: Rectangle, inset: number): string {
  const [left, top] = [x + inset, y + inset];
  const corner = Math.min(round, height / 2 - 1);
  return `<rect x="${left}" y="${top}" width="${width - 2 * inset}" height="${height - 2 * inset}" rx="${corner}"/>`;
}

function textGroup(lines: readonly Line[], { x, y }: Point): string {
  return `<g>${text(lines, x, y)}</g>`;
}

function beginning(points: readonly Point[]): string {
  const [start] = points;
  if (start === undefined) return '';
  const dot = `<circle class="initial" cx="${start.x}" cy="${start.y - 5}" r="5"/>`;
  return `<g class="beginning">${dot}${path(points)}</g>`;
}

function line({ ways, kind }: PictureArrow, place: PlacedArrow | undefined): string {
  if (place === undefined) return '';
  const words = kind === 'plain' ? 'arrow' : `arrow ${kind}`;
  return `<g class="${words}" data-ways="${ways.join(' ')}">${path(place.points, kind !== 'tail')}</g>`;
}

function label({ ways, lines }: PictureArrow, place: PlacedArrow | undefined): string {
  if (place === undefined || lines.length === 0) return '';
  const { x, y } = place.label;
  const words = text(lines, x + labelPadding.x, y + labelPadding.y);
  const frame = rectangle({ x, y, ...labelSize(lines) }, 0);
  return `<g class="label" data-ways="${ways.join(' ')}">${frame}${words}</g>`;
}

/** Straight lines with rounded corners. */
function path(points: readonly Point[], hasTip = true): string {
  const steps = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined || after === undefined) return `${before === undefined ? 'M' : 'L'}${at(point)}`;
    return `L${at(towards(point, before))}Q${at(point)} ${at(towards(point, after))}`;
  });
  return `<path class="line" d="${steps.join('')}"${hasTip ? ' marker-end="url(#tip)"' : ''}/>`;
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

/** Lines of text. Those that replace an arrow have a frame that a page can highlight. */
function text(lines: readonly Line[], x: number, y: number): string {
  const written = ([index, { parts }]: readonly [number, Line]) =>
    `<text x="${x}" y="${y + baseline(index)}">${parts.map(span).join(' ')}</text>`;
  const groups = Map.groupBy(lines.entries(), ([, { way }]) => way);
  return [...groups]
    .map(([way, rows]) => {
      const words = rows.map(written).join('');
      if (way === undefined) return words;
      const above = sizeOf(lines.slice(0, rows[0]?.[0])).height;
      const { width, height } = sizeOf(rows.map(([, row]) => row));
      const place = { x: x - 3, y: y + above, width: width + 6, height };
      return `<g class="exit" data-ways="${way}">${rectangle(place, 0)}${words}</g>`;
    })
    .join('');
}

function span({ kind, text: words }: Part): string {
  return `<tspan class="${kind}">${escaped(words)}</tspan>`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
