import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../layout/faults.ts';
import type { Layout, Point } from '../src/layout.ts';
import type { Picture } from '../src/picture.ts';

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
