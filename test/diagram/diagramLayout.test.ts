import assert from 'node:assert/strict';
import { test } from 'node:test';
import layouts from '../../generated/layouts.json' with { type: 'json' };
import { drawingOf } from '../../src/diagram/drawing.ts';
import { boxPadding, type Layout, type Point, type Rectangle, sizeOf } from '../../src/diagram/layout.ts';
import { machines } from '../../src/diagram/machines.ts';
import { type Picture, type PictureBox, pictureOf } from '../../src/diagram/picture.ts';
import { systemPicture } from '../../src/diagram/system.ts';

const pictures = new Map<string, Picture>([
  ['system', systemPicture()],
  ...[...machines].map(([name, { machine }]) => [name, pictureOf(drawingOf(machine))] as const),
]);
const known: Readonly<Record<string, Layout>> = layouts;

function all(box: PictureBox): PictureBox[] {
  return [box, ...box.children.flatMap(all)];
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

function overlap(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

for (const [name, { root, arrows }] of pictures) {
  const layout = known[name] ?? assert.fail(`no layout of ${name}`);
  const placeOf = (id: string) => layout.boxes[id] ?? assert.fail(`${id} has no place`);
  const headOf = ({ id, lines }: PictureBox): Rectangle => {
    const { x, y } = placeOf(id);
    const { width, height } = sizeOf(lines);
    return { x: x + boxPadding, y: y + boxPadding, width, height };
  };
  const labels = arrows.flatMap(({ from, to, lines }, index) => {
    const place = layout.arrows[index]?.label;
    return place === undefined || lines.length === 0 ? [] : [{ what: `${from} to ${to}`, place }];
  });

  test(`in the picture of ${name} no text is cut off, and no box exceeds its parent`, () => {
    const page = { x: 0, y: 0, width: layout.width, height: layout.height };
    for (const box of all(root)) {
      assert.ok(!exceeds(headOf(box), placeOf(box.id)), `the text of ${box.id}`);
      for (const child of box.children) assert.ok(!exceeds(placeOf(child.id), placeOf(box.id)), child.id);
    }
    for (const { what, place } of labels) assert.ok(!exceeds(place, page), what);
  });

  test(`in the picture of ${name} no labels overlap, or cover an unrelated box`, () => {
    const closed = all(root).filter(({ children }) => children.length === 0);
    const places = [...all(root).map((box) => ({ what: `the text of ${box.id}`, place: headOf(box) })), ...labels];
    for (const [index, one] of places.entries()) {
      for (const other of places.slice(index + 1))
        assert.ok(!overlap(one.place, other.place), `${one.what} and ${other.what}`);
    }
    for (const { what, place } of labels)
      for (const { id } of closed) assert.ok(!overlap(place, placeOf(id)), `${what} and ${id}`);
  });
  test(`in the picture of ${name} no arrow goes through the label of another one, or through the text of a box`, () => {
    // The head of a box with children is drawn above the arrows.
    const closed = all(root).filter(({ children }) => children.length === 0);
    const heads = closed.map((box) => ({ what: `the text of ${box.id}`, place: headOf(box) }));
    for (const [index, { from, to }] of arrows.entries()) {
      const what = `${from} to ${to}`;
      const texts = [...heads, ...labels.filter((label) => label.what !== what)];
      for (const segment of segmentsOf(layout.arrows[index]?.points ?? []))
        for (const text of texts) assert.ok(!overlap(segment, text.place), `${what} and ${text.what}`);
    }
  });
}

/** The parts of an arrow as rectangles; they are horizontal or vertical. */
function segmentsOf(points: readonly Point[]): Rectangle[] {
  return points.slice(1).map(({ x, y }, index) => {
    const from = points[index] ?? assert.fail();
    return {
      x: Math.min(x, from.x),
      y: Math.min(y, from.y),
      width: Math.abs(x - from.x),
      height: Math.abs(y - from.y),
    };
  });
}

test('the drawing of a resource fits on a large screen', () => {
  const { width, height } = known['resource'] ?? assert.fail();
  assert.ok(width <= 1800 && height <= 1450, `${width} × ${height}`);
});
