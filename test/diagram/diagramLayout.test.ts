import assert from 'node:assert/strict';
import { test } from 'node:test';
import layouts from '../../generated/layouts.json' with { type: 'json' };
import { drawingOf } from '../../src/diagram/drawing.ts';
import type { Layout, Point } from '../../src/diagram/layout.ts';
import { machines } from '../../src/diagram/machines.ts';
import { type Picture, pictureOf } from '../../src/diagram/picture.ts';
import { systemPicture } from '../../src/diagram/system.ts';
import { faultsOf } from '../support/docs/faults.ts';
import { screen, sizeOfDrawing } from '../support/docs/layOut.ts';

const pictures = new Map<string, Picture>([
  ['system', systemPicture()],
  ...[...machines].map(([name, { machine }]) => [name, pictureOf(drawingOf(machine))] as const),
]);
const known: Readonly<Record<string, Layout>> = layouts;

for (const [name, picture] of pictures) {
  const layout = known[name] ?? assert.fail(`no layout of ${name}`);

  test(`in the drawing of ${name} no text is cut off, covered, or crossed by an arrow, and no arrows run over each other`, () => {
    assert.deepEqual(faultsOf(picture, layout), []);
  });

  test(`the drawing of ${name} is not too large to be taken in`, () => {
    const { width, height } = sizeOfDrawing(layout);
    assert.ok(width <= screen.width && height <= screen.height, `${width} × ${height}`);
  });
}

test('texts that are crossed, covered or cut off, and arrows over each other, are found', () => {
  const line = { parts: [{ text: 'text', kind: 'name' }] } as const;
  const box = (id: string) => ({ id, kind: 'plain', lines: [line], initial: undefined, children: [] }) as const;
  const picture: Picture = {
    title: '',
    root: { ...box('root'), lines: [], children: [box('a'), box('b')] },
    arrows: [
      { from: 'a', to: 'b', lines: [line] },
      { from: 'b', to: 'a', lines: [] },
    ],
  };
  const label = { x: 200, y: 60, width: 40, height: 18 };
  const layoutWith = (points: readonly Point[], place = label): Layout => ({
    width: 300,
    height: 200,
    boxes: {
      root: { x: 0, y: 0, width: 300, height: 200 },
      a: { x: 20, y: 20, width: 60, height: 30 },
      b: { x: 20, y: 120, width: 60, height: 30 },
    },
    heads: { root: { x: 0, y: 0 }, a: { x: 28, y: 28 }, b: { x: 28, y: 128 } },
    arrows: [
      { points, label: place },
      {
        points: [
          { x: 70, y: 120 },
          { x: 70, y: 50 },
        ],
        label: { x: 0, y: 0, width: 0, height: 0 },
      },
    ],
    initial: {},
  });
  const straight = [
    { x: 40, y: 50 },
    { x: 40, y: 120 },
  ];
  assert.deepEqual(faultsOf(picture, layoutWith(straight)), []);
  assert.deepEqual(
    faultsOf(
      picture,
      layoutWith([
        { x: 40, y: 10 },
        { x: 40, y: 120 },
      ]),
    ),
    ['the arrow a to b crosses the text of a'],
  );
  assert.deepEqual(
    faultsOf(
      picture,
      layoutWith([
        { x: 69, y: 50 },
        { x: 69, y: 120 },
      ]),
    ),
    ['the arrows a to b and b to a run over each other'],
  );
  assert.deepEqual(faultsOf(picture, layoutWith(straight, { ...label, x: 60 })), [
    'the arrow b to a crosses the label of a to b',
  ]);
  assert.deepEqual(faultsOf(picture, layoutWith(straight, { ...label, x: 280 })), ['the label of a to b is cut off']);
  assert.deepEqual(faultsOf(picture, layoutWith(straight, { ...label, x: 76, y: 125 })), [
    'the label of a to b overlaps b',
  ]);
});
