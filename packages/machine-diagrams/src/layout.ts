import { type Line, textOf } from './picture.ts';

/** The positions in a picture, in pixels from its upper left corner; generated and committed. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** By the ids of the boxes. */
  readonly boxes: Readonly<Record<string, Rectangle>>;
  /** The upper left corners of the texts that are not in the upper left corner of their box, by the ids of the boxes. */
  readonly heads: Readonly<Record<string, Point>>;
  /** In the order of the picture's arrows. */
  readonly arrows: readonly PlacedArrow[];
  /** The arrows from the initial dots, by the ids of the boxes to which they lead. */
  readonly initial: Readonly<Record<string, readonly Point[]>>;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedArrow {
  readonly points: readonly Point[];
  /** The upper left corner of the text with its padding. */
  readonly label: Point;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels around a picture. */
export const margin = 12;
/** Pixels from the edge of a box, or of a label, to its text. */
export const boxPadding = 8;
export const labelPadding = { x: 6, y: 2 };
const lineHeight = 14;
/** The font is monospaced. */
const characterWidth = 6.7;

/** The size of lines of text. */
export function sizeOf(lines: readonly Line[]): { readonly width: number; readonly height: number } {
  const longest = Math.max(0, ...lines.map((line) => textOf(line).length));
  return { width: Math.ceil(longest * characterWidth), height: lines.length * lineHeight };
}

/** The size of the text at an arrow, with its padding. */
export function labelSize(lines: readonly Line[]): { readonly width: number; readonly height: number } {
  const { width, height } = sizeOf(lines);
  return { width: width + 2 * labelPadding.x, height: height + 2 * labelPadding.y };
}

/** The upper left corner of the text of a box. */
export function headPlace(id: string, { heads, boxes }: Layout): Point {
  const { x, y } = boxes[id] ?? { x: 0, y: 0 };
  return heads[id] ?? { x: x + boxPadding, y: y + boxPadding };
}

/** The distance of the baseline of the nth line from the top of the text. */
export function baseline(index: number): number {
  return index * lineHeight + 11;
}
