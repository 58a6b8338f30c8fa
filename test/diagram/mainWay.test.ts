import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allBoxes, drawingOf, type Picture, type PictureBox, picturesOf } from '@weeder/machine-diagrams';
import { type AnyStateMachine, createMachine } from 'xstate';
import { diagram } from '../../src/diagram/diagram.ts';
import { machines } from '../../src/diagram/machines.ts';
import { mainWays } from '../support/docs/mainWay.ts';

/** What the pictures of a machine show with arrows, as `from:to`. */
function arrowsIn(pictures: readonly Picture[]): Set<string> {
  return new Set(pictures.flatMap(({ arrows }) => arrows.flatMap(({ ways }) => ways)));
}

/** The states in a picture to which neither an arrow nor a dot leads. */
function unreachedIn({ boxes, arrows }: Picture): string[] {
  const isState = ({ kind }: PictureBox) => kind === 'plain' || kind === 'final';
  return allBoxes(boxes).flatMap(({ children, initial }) =>
    children
      .filter((child) => isState(child) && child.id !== initial)
      .filter((child) => {
        const within = new Set(allBoxes([child]).map(({ id }) => id));
        return !arrows.some(({ from, to }) => within.has(to) && !within.has(from));
      })
      .map(({ id }) => id),
  );
}

function picturesFrom(machine: AnyStateMachine): Picture[] {
  return picturesOf(drawingOf(machine));
}

function wordsIn(pictures: readonly Picture[]): string[] {
  const lines = pictures.flatMap(({ boxes }) => allBoxes(boxes).flatMap((box) => box.lines));
  return lines.flatMap(({ way }) => (way === undefined ? [] : [way]));
}

for (const [name, { machine }] of machines) {
  test(`in the pictures of ${name} only failures and repetitions are words`, () => {
    const drawn = arrowsIn(picturesFrom(machine));
    assert.deepEqual(
      mainWays(machine).filter((way) => !drawn.has(way)),
      [],
    );
  });

  test(`in the pictures of ${name} an arrow leads to each state but the initial one`, () => {
    assert.deepEqual(picturesFrom(machine).flatMap(unreachedIn), []);
  });

  test(`each arrow of ${name} is in its file, and none is there as words too`, () => {
    const result = diagram(name, 'svg');
    assert.ok(result.ok);
    const shown = (shape: string) =>
      new Set(
        [...result.value.matchAll(new RegExp(`<g class="${shape}[^"]*" data-ways="([^"]*)"`, 'g'))]
          .flatMap(([, ways = '']) => ways.split(' '))
          .filter((way) => way !== ''),
      );
    const [arrows, words] = [shown('arrow'), shown('exit')];
    assert.deepEqual([...arrows].sort(), [...arrowsIn(picturesFrom(machine))].sort());
    assert.deepEqual(
      [...words].filter((way) => arrows.has(way)),
      [],
    );
  });
}

/** Every kind of way: on, over a failure, back, from any state, and into a state that only failures lead to. */
const small = createMachine({
  id: 'small',
  initial: 'first',
  on: { 'all.stopped': { target: '.last' }, 'effect.failed': { target: '.broken' } },
  states: {
    first: { on: { next: 'second', again: 'first' } },
    second: {
      initial: 'one',
      on: { back: 'first', 'write.rejected': 'last' },
      states: { one: { on: { more: 'two' } }, two: { on: { done: '#small.last', less: 'one' } } },
    },
    broken: { on: { repaired: 'first', 'all.given.up': 'last' } },
    last: { type: 'final' },
  },
});

test('ways on are arrows, and failures, what follows them, and repetitions are words', () => {
  const main = ['first:second', 'second.one:second.two', 'second.two:last', 'small:last'];
  assert.deepEqual(mainWays(small).sort(), main);
  const pictures = picturesFrom(small);
  // Nothing else leads to broken.
  assert.deepEqual([...arrowsIn(pictures)].sort(), [...main, 'small:broken'].sort());
  assert.deepEqual([...new Set(wordsIn(pictures))].sort(), [
    'broken:first',
    'broken:last',
    'first:first',
    'second.two:second.one',
    'second:first',
    'second:last',
  ]);
});

test('a missing arrow is found', () => {
  const [picture] = picturesFrom(small);
  assert.ok(picture !== undefined);
  assert.deepEqual(unreachedIn(picture), []);
  const without = (id: string): Picture => ({ ...picture, arrows: picture.arrows.filter(({ to }) => to !== id) });
  assert.deepEqual(unreachedIn(without('second')), ['second']);
  assert.deepEqual(unreachedIn(without('second.two')), ['second.two']);
  assert.deepEqual(unreachedIn(without('broken')), ['broken']);
  const drawn = arrowsIn([without('last')]);
  assert.deepEqual(
    mainWays(small)
      .filter((way) => !drawn.has(way))
      .sort(),
    ['second.two:last', 'small:last'],
  );
});
