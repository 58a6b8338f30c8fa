import type { Line } from './picture.ts';

/** The positions in a picture, in pixels from its upper left corner; generated and committed. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** By the ids of the boxes. */
  readonly boxes: Readonly<Record<string, Rectangle>>;
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
  readonly label: Rectangle;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels from the edge of a box, or of a label, to its text. */
export const boxPadding = 12;
export const labelPadding = { x: 6, y: 3 };
const lineHeight = 15;
/** The font is monospaced. */
const characterWidth = 6.7;

/** The size of lines of text. */
export function sizeOf(lines: readonly Line[]): { readonly width: number; readonly height: number } {
  const longest = Math.max(0, ...lines.map(({ text }) => text.length));
  return { width: Math.ceil(longest * characterWidth), height: lines.length * lineHeight };
}

/** The distance of the baseline of the nth line from the top of the text. */
export function baseline(index: number): number {
  return index * lineHeight + 11;
}
