import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyStateMachine, createMachine, fromCallback, setup } from 'xstate';
import { drawingOf } from '../src/drawing.ts';
import { picturesOf } from '../src/machinePictures.ts';
import { allBoxes, type Picture } from '../src/picture.ts';

function picturesFrom(machine: AnyStateMachine): Picture[] {
  return picturesOf(drawingOf(machine));
}

test('a larger machine is an overview and a picture of each compound state, with places for the states outside', () => {
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, { on: { next: 'inner' } }]));
  const large = createMachine({
    id: 'large',
    initial: 'start',
    states: {
      start: { on: { a: 'a', b: 'b', c: 'c', d: 'd', e: 'e', f: 'f', deep: 'inner.two' } },
      ...many,
      inner: { initial: 'one', states: { one: { on: { more: 'two' } }, two: { on: { end: '#large.end' } } } },
      end: { type: 'final' },
    },
  });
  const [overview, inner, ...others] = picturesFrom(large);
  assert.ok(overview !== undefined && inner !== undefined);
  assert.deepEqual(others, []);
  assert.ok(!allBoxes(overview.boxes).some(({ id }) => id.startsWith('inner.')));
  assert.ok(
    overview.arrows.some(({ from, to, ways }) => from === 'inner' && to === 'end' && ways[0] === 'inner.two:end'),
  );
  assert.deepEqual(
    inner.boxes.map(({ id, kind }) => [id, kind]),
    [
      ['from start', 'place'],
      ['inner', 'plain'],
      ['to end', 'place'],
    ],
  );
  // Six states lead to the same one with the same event: their lines join, and one arrow leads on.
  const [bar] = allBoxes(overview.boxes).filter(({ kind }) => kind === 'join');
  assert.equal(overview.arrows.filter(({ to, kind }) => to === bar?.id && kind === 'tail').length, 6);
  assert.deepEqual(
    overview.arrows.filter(({ from }) => from === bar?.id).map(({ to, ways }) => [to, ways.length]),
    [['inner', 6]],
  );
});

test('a spawned actor is drawn beside the machine, with an arrow from each state whose actions spawn it', () => {
  const actors = { child: fromCallback(() => {}), helper: fromCallback(() => {}), other: fromCallback(() => {}) };
  const parent = setup({ actors, actions: { spawnChildren: () => {} } }).createMachine({
    id: 'parent',
    initial: 'idle',
    states: {
      idle: { on: { go: 'busy' }, invoke: { src: 'helper' } },
      busy: { entry: 'spawnChildren', on: { more: { actions: 'spawnChildren' }, wait: 'pausing' } },
      pausing: { on: { go: { target: 'busy', actions: 'spawnChildren' } } },
    },
  });
  const [picture] = picturesFrom(parent);
  assert.deepEqual(
    picture?.boxes.map(({ id, kind }) => [id, kind]),
    [
      ['parent', 'plain'],
      ['actor other', 'actor'],
      ['actor child', 'actor'],
    ],
  );
  assert.deepEqual(
    picture?.arrows.filter(({ kind }) => kind === 'spawn').map(({ from, to }) => [from, to]),
    [
      ['parent', 'actor other'],
      ['busy', 'actor child'],
      ['pausing', 'actor child'],
    ],
  );
});
