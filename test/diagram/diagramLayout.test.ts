import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Layout, Picture } from '@weeder/machine-diagrams';
import { drawingOf, picturesOf } from '@weeder/machine-diagrams';
import { faultsOf, sizeOfDrawing, upwards } from '@weeder/machine-diagrams/layout';
import layouts from '../../generated/layouts.json' with { type: 'json' };
import { machines } from '../../src/diagram/machines.ts';
import { systemPictures } from '../../src/diagram/systemFormats.ts';

const pictures = new Map<string, readonly Picture[]>([
  ['system', systemPictures()],
  ...[...machines].map(([name, { machine }]) => [name, picturesOf(drawingOf(machine))] as const),
]);
const layoutsByName: Readonly<Record<string, readonly Layout[]>> = layouts;

for (const [name, machinePictures] of pictures) {
  const layoutsOf = layoutsByName[name] ?? assert.fail(`no layout of ${name}`);
  const placed = machinePictures.map((picture, index) => ({
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
