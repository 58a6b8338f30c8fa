import type { Line } from './picture.ts';

/** Where everything of a picture is, in pixels from its upper left corner; generated and committed. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** By the ids of the boxes. */
  readonly boxes: Readonly<Record<string, Rectangle>>;
  /** In the order of the picture's arrows. */
  readonly arrows: readonly PlacedArrow[];
  /** From the dot of the beginning to the box that it leads to, by that box's id. */
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
/** The font has one width for all characters. */
const characterWidth = 6.7;

/** How much room lines of text take. */
export function sizeOf(lines: readonly Line[]): { readonly width: number; readonly height: number } {
  const longest = Math.max(0, ...lines.map(({ text }) => text.length));
  return { width: Math.ceil(longest * characterWidth), height: lines.length * lineHeight };
}

/** Where the baseline of the nth line is, below the top of the text. */
export function baseline(index: number): number {
  return index * lineHeight + 11;
}
