import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff } from '../../support/objects/objects.ts';
import { minute } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const crashLooping = (name: string) => ({ name, containers: [backOff()] });

/** A world with an open window of two minutes. */
async function opened(options: Parameters<typeof world>[0] = {}): Promise<World> {
  const at = world(options);
  at.slice({ ready: [false] });
  at.slice({ ready: [true] });
  await at.clock.pass(1);
  assert.equal(at.eventsOf('window.opened').length, 1);
  return at;
}

test('updates that arrive after the process was suspended past the end of a window delete nothing', async () => {
  const at = await opened();
  at.clock.suspend(3 * minute);
  // Received data is read before the timers run.
  at.put(crashLooping('kapi-0'));
  await ends(at);
  assert.deepEqual(at.timeline(), []);
  assert.deepEqual(
    at.eventsOf('window.closed').map(({ deleted, failed }) => [deleted, failed]),
    [[0, []]],
  );
});

test('updates that arrive after a suspension within a window delete', async () => {
  const at = await opened();
  at.clock.suspend(1 * minute);
  at.put(crashLooping('kapi-0'));
  await at.clock.pass(1);
  assert.deepEqual(at.timeline(), [`kapi-0@${minute + 1}`]);
});

test('a previously refused deletion is not retried after the end, and is reported as failed', async () => {
  const at = await opened({ answer: () => ({ type: 'delete.failed', reason: '500' }) });
  at.put(crashLooping('kapi-0'));
  await at.clock.pass(1000);
  const tries = at.timeline().length;
  assert.ok(tries > 0);
  at.clock.suspend(3 * minute);
  await ends(at);
  assert.equal(at.timeline().length, tries);
  assert.deepEqual(
    at.eventsOf('window.closed').map(({ deleted, failed }) => [deleted, failed.length]),
    [[0, 1]],
  );
  assert.equal(at.eventsOf('deletion.refused').length, tries);
  assert.deepEqual(
    at.eventsOf('deletion.failed').map(({ reason }) => reason),
    ['the window closed first, and an earlier attempt was refused: 500'],
  );
});

test('a recovery during a suspension opens a full window, next to one whose timer is late', async () => {
  const at = await opened();
  at.clock.suspend(3 * minute);
  at.slice({ ready: [false] });
  at.put(crashLooping('kapi-0'));
  at.slice({ ready: [true] });
  await at.clock.pass(1);
  assert.deepEqual(at.timeline(), [`kapi-0@${3 * minute + 1}`]);
  assert.deepEqual(
    at.eventsOf('window.opened').map(({ window, duration }) => [window, duration]),
    [
      [1, 2 * minute],
      [2, 2 * minute],
    ],
  );
});
