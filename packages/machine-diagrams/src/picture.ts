/** The content of a picture without positions: nested boxes, and arrows between them. */
export interface Picture {
  readonly title: string;
  readonly boxes: readonly PictureBox[];
  readonly arrows: readonly PictureArrow[];
}

export interface PictureBox {
  /** Unique within the picture. */
  readonly id: string;
  /** A place is where arrows begin or end that have no state in this picture, and a join where several become one. */
  readonly kind: 'plain' | 'final' | 'region' | 'place' | 'join' | 'actor';
  readonly lines: readonly Line[];
  /** The id of the initial child, to which an arrow leads from a dot. */
  readonly initial?: string | undefined;
  readonly children: readonly PictureBox[];
}

export interface PictureArrow {
  readonly from: string;
  readonly to: string;
  /** The transitions that it shows, as `from:to` with the ids of the states. */
  readonly ways: readonly string[];
  /** A tail leads to a join, and has no tip. */
  readonly kind: 'plain' | 'tail' | 'spawn';
  readonly lines: readonly Line[];
}

/** One line of text. */
export interface Line {
  readonly parts: readonly Part[];
  /** The way, as `from:to`, if the line is in a box and replaces an arrow. */
  readonly way?: string;
}

/** Words of one kind in a line. */
export interface Part {
  readonly text: string;
  readonly kind: 'name' | 'description' | 'event' | 'guard' | 'action';
}

/** The text of a line. */
export function textOf({ parts }: Line): string {
  return parts.map(({ text }) => text).join(' ');
}

/** All boxes of a picture. */
export function allBoxes(boxes: readonly PictureBox[]): PictureBox[] {
  return boxes.flatMap((box) => [box, ...allBoxes(box.children)]);
}
