import assert from 'node:assert/strict';
import { test } from 'node:test';
import layouts from '../../generated/layouts.json' with { type: 'json' };
import { drawingOf } from '../../src/diagram/drawing.ts';
import type { Layout, Point } from '../../src/diagram/layout.ts';
import { picturesOf } from '../../src/diagram/machinePictures.ts';
import { machines } from '../../src/diagram/machines.ts';
import type { Picture } from '../../src/diagram/picture.ts';
import { systemPictures } from '../../src/diagram/systemFormats.ts';
import { faultsOf } from '../support/docs/faults.ts';
import { sizeOfDrawing, upwards } from '../support/docs/layOut.ts';

const pictures = new Map<string, readonly Picture[]>([
  ['system', systemPictures()],
  ...[...machines].map(([name, { machine }]) => [name, picturesOf(drawingOf(machine))] as const),
]);
const known: Readonly<Record<string, readonly Layout[]>> = layouts;

for (const [name, its] of pictures) {
  const layoutsOf = known[name] ?? assert.fail(`no layout of ${name}`);
  const placed = its.map((picture, index) => ({
    picture,
    layout: layoutsOf[index] ?? assert.fail(`no layout of ${picture.title}`),
  }));

  test(`in the drawing of ${name} no text is cut off, covered, or crossed by an arrow, and no arrows run over each other`, () => {
    assert.deepEqual(
      placed.flatMap(({ picture, layout }) => faultsOf(picture, layout)),
      [],
    );
  });

  test(`each picture of ${name} is readable at 1:1 on a screen that is 1,200 pixels wide`, () => {
    for (const { picture, layout } of placed) {
      const { width, height } = sizeOfDrawing(layout);
      assert.ok(width <= 1200 && height <= 1400, `${picture.title}: ${width} × ${height}`);
    }
  });

  test(`in each picture of ${name} the arrows from the initial state, and from a parent to its child, lead downwards`, () => {
    assert.deepEqual(
      placed.flatMap(({ picture, layout }) => upwards(picture, layout).map(({ from, to }) => `${from} to ${to}`)),
      [],
    );
  });
}

test('texts that are crossed, covered or cut off, and arrows over each other, are found', () => {
  const line = { parts: [{ text: 'text', kind: 'name' }] } as const;
  const box = (id: string) => ({ id, kind: 'plain', lines: [line], children: [] }) as const;
  const picture: Picture = {
    title: '',
    boxes: [{ ...box('root'), lines: [], children: [box('a'), box('b')] }],
    arrows: [
      { from: 'a', to: 'b', ways: ['a:b'], kind: 'plain', lines: [line] },
      { from: 'b', to: 'a', ways: ['b:a'], kind: 'plain', lines: [] },
    ],
  };
  const label = { x: 200, y: 60 };
  const layoutWith = (points: readonly Point[], place = label): Layout => ({
    width: 300,
    height: 200,
    boxes: {
      root: { x: 0, y: 0, width: 300, height: 200 },
      a: { x: 20, y: 20, width: 60, height: 30 },
      b: { x: 20, y: 120, width: 60, height: 30 },
    },
    heads: { root: { x: 0, y: 0 } },
    arrows: [
      { points, label: place },
      {
        points: [
          { x: 70, y: 120 },
          { x: 70, y: 50 },
        ],
        label: { x: 0, y: 0 },
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
