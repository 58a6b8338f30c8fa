import { headPlace, type Layout, labelSize, type Point, type Rectangle, sizeOf } from '../src/layout.ts';
import { allBoxes, type Picture, type PictureBox } from '../src/picture.ts';

/** A part of a drawing, and its name in messages. */
interface Placed {
  readonly what: string;
  readonly place: Rectangle;
}

/** What makes a drawing hard to read, as messages: texts that are crossed, covered or cut off. */
export function faultsOf(picture: Picture, layout: Layout): string[] {
  const boxes = allBoxes(picture.boxes).filter(({ kind }) => kind !== 'join');
  const heads = boxes.map((box) => ({ what: `the text of ${box.id}`, place: headOf(box, layout) }));
  const labels = labelsOf(picture, layout);
  const closed = boxes.filter(({ children }) => children.length === 0);
  const closedPlaces = closed.map(({ id }) => ({ what: id, place: placeOf(id, layout) }));
  const lines = linesOf(picture, layout);
  return [
    ...cutOff(boxes, layout, labels),
    ...lines.flatMap((one, index) =>
      lines
        .slice(index + 1)
        .filter((other) => one.segments.some((each) => other.segments.some((segment) => runOver(each, segment))))
        .map(({ what }) => `the arrows ${one.what} and ${what} run over each other`),
    ),
    ...[...heads, ...labels].flatMap((one, index, texts) => covered(one, texts.slice(index + 1))),
    ...labels.flatMap((label) => covered(label, closedPlaces)),
    ...lines.flatMap(({ what, segments }) =>
      [...heads, ...labels.filter((label) => label.what !== `the label of ${what}`)]
        .filter(({ place }) => segments.some((segment) => overlap(segment, place)))
        .map((text) => `the arrow ${what} crosses ${text.what}`),
    ),
  ];
}

function cutOff(boxes: readonly PictureBox[], layout: Layout, labels: readonly Placed[]): string[] {
  const page = { x: 0, y: 0, width: layout.width, height: layout.height };
  const inner = boxes.flatMap((box) => [
    { what: `the text of ${box.id}`, place: headOf(box, layout), outer: placeOf(box.id, layout) },
    ...box.children.map(({ id }) => ({ what: id, place: placeOf(id, layout), outer: placeOf(box.id, layout) })),
  ]);
  return [...inner, ...labels.map((label) => ({ ...label, outer: page }))]
    .filter(({ place, outer }) => exceeds(place, outer))
    .map(({ what }) => `${what} is cut off`);
}

/** Whether a rectangle is not inside the other; text may be a pixel wider than estimated. */
function exceeds(inner: Rectangle, outer: Rectangle): boolean {
  return (
    inner.x < outer.x ||
    inner.y < outer.y ||
    inner.x + inner.width > outer.x + outer.width + 1 ||
    inner.y + inner.height > outer.y + outer.height + 1
  );
}

function covered({ what, place }: Placed, others: readonly Placed[]): string[] {
  return others.filter((other) => overlap(place, other.place)).map((other) => `${what} overlaps ${other.what}`);
}

/** The texts at the arrows. */
export function labelsOf({ arrows }: Picture, layout: Layout): Placed[] {
  return arrows.flatMap(({ from, to, lines }, index) => {
    const label = layout.arrows[index]?.label;
    if (label === undefined || lines.length === 0) return [];
    return [{ what: `the label of ${from} to ${to}`, place: { ...label, ...labelSize(lines) } }];
  });
}

/** The lines of all arrows, also of those from the initial dots. */
export function linesOf({ arrows }: Picture, layout: Layout): { what: string; segments: Rectangle[] }[] {
  return [
    ...arrows.map(({ from, to }, index) => ({
      what: `${from} to ${to}`,
      segments: segmentsOf(layout.arrows[index]?.points ?? []),
    })),
    ...Object.entries(layout.initial).map(([to, points]) => ({ what: `to ${to}`, segments: segmentsOf(points) })),
  ];
}

/** The parts of an arrow as rectangles; they are horizontal or vertical. */
function segmentsOf(points: readonly Point[]): Rectangle[] {
  return points.slice(1).map(({ x, y }, index) => {
    const from = points[index] ?? { x, y };
    return {
      x: Math.min(x, from.x),
      y: Math.min(y, from.y),
      width: Math.abs(x - from.x),
      height: Math.abs(y - from.y),
    };
  });
}

/** Whether two parallel parts of arrows cannot be distinguished. */
function runOver(one: Rectangle, other: Rectangle): boolean {
  const isUpright = one.width === 0;
  if (isUpright !== (other.width === 0)) return false;
  const { x, y, width, height } = one;
  const wide = isUpright ? { x: x - 2, y, width: 4, height } : { x, y: y - 2, width, height: 4 };
  return overlap(wide, other);
}

/** Whether two rectangles have more than their edges in common. */
export function overlap(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** The place of the text of a box. */
export function headOf({ id, lines }: PictureBox, layout: Layout): Rectangle {
  return { ...headPlace(id, layout), ...sizeOf(lines) };
}

export function placeOf(box: string, { boxes }: Layout): Rectangle {
  return boxes[box] ?? { x: 0, y: 0, width: 0, height: 0 };
}
