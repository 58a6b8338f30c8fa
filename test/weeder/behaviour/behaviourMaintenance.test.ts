import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';
import { podSentence } from '../../../src/weeder/report/podSentence.ts';
import { backOff } from '../../support/objects/objects.ts';
import { minute, settled } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const crashLooping = (name: string) => ({ name, containers: [backOff()] });
const expired = (at: World) => at.eventsOf('deletion.expired').map(({ pod, reason }) => `${pod.name} ${reason}`);

/** A window that opens this long after the start of the simulation, for one minute, and then daily. */
function openingAfter(time: number) {
  const opens = new Date(world().clock.now() + time);
  assert.equal(opens.getTime() % minute, 0, 'cron knows no seconds');
  return { cron: `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`, timeZone: 'UTC', duration: minute };
}

/** A service with maintenance windows that has just recovered, with a crash-looping dependant. */
async function recovered(...maintenanceWindows: readonly ReturnType<typeof openingAfter>[]): Promise<World> {
  const at = world({ service: { maintenanceWindows, watchDuration: 5 * minute } });
  at.put(crashLooping('web-0'));
  at.slice(up);
  await settled();
  return at;
}

test('in a maintenance window a dependant is deleted at once', async () => {
  const at = await recovered(openingAfter(0));
  assert.deepEqual(at.timeline(), ['web-0@0']);
  await ends(at);
});

test('outside of maintenance windows a deletion waits until one opens, and the reason is reported once', async () => {
  const at = await recovered(openingAfter(2 * minute));
  assert.deepEqual(at.deletions, []);
  assert.partialDeepStrictEqual(at.eventsOf('deletion.pending'), [{ reason: 'maintenance', waitIn: 2 * minute }]);
  assert.match(
    podSentence({ ...at.weeder.pod('shoot-1', 'web-0'), report: undefined }),
    /no maintenance window is open/,
  );
  await at.clock.pass(2 * minute);
  assert.deepEqual(at.timeline(), [`web-0@${2 * minute}`]);
  assert.equal(at.eventsOf('deletion.pending').length, 1);
  await ends(at);
});

test('a recovery with no maintenance window before the window closes deletes nothing', async () => {
  const at = await recovered(openingAfter(60 * minute));
  await ends(at);
  assert.deepEqual(at.deletions, []);
  assert.deepEqual(expired(at), ['web-0 maintenance']);
});

test('a pod that begins to crash-loop after the maintenance window has closed is not deleted', async () => {
  const at = await recovered(openingAfter(0));
  await at.clock.pass(minute);
  at.put(crashLooping('web-1'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['web-0@0']);
  assert.deepEqual(expired(at), ['web-1 maintenance']);
});

test('a refused deletion is not repeated after the maintenance window has closed', async () => {
  const at = world({
    service: { maintenanceWindows: [openingAfter(0)], watchDuration: 5 * minute },
    answer: async () => ({ type: 'delete.failed', reason: 'busy', retryAfter: minute }),
  });
  at.put(crashLooping('web-0'));
  at.slice(up);
  await settled();
  assert.equal(at.deletions.length, 1);
  await ends(at);
  assert.equal(at.deletions.length, 1);
});

test('a paced deletion is decided again at its turn, and waits if the maintenance window has closed', async () => {
  const pace = { pods: 1, per: 40_000 };
  const at = world({ service: { maintenanceWindows: [openingAfter(0)], watchDuration: 5 * minute, pace } });
  for (const name of ['web-0', 'web-1', 'web-2']) at.put(crashLooping(name));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['web-0@0', 'web-1@40000']);
  assert.deepEqual(expired(at), ['web-2 maintenance']);
});

test('a deletion that waits for a slot when the maintenance window closes is not sent, and is not a failure', async () => {
  const { promise, resolve } = Promise.withResolvers<DeletionAnswer>();
  const at = world({
    concurrentDeletions: 1,
    service: { maintenanceWindows: [openingAfter(0)], watchDuration: 5 * minute },
    answer: () => promise,
  });
  for (const name of ['web-0', 'web-1']) at.put(crashLooping(name));
  at.slice(up);
  await at.clock.pass(minute + 1000);
  resolve({ type: 'delete.notFound' });
  await settled();
  assert.partialDeepStrictEqual(at.eventsOf('deletion.pending'), [{ pod: { name: 'web-1' }, reason: 'maintenance' }]);
  await ends(at);
  assert.equal(at.deletions.length, 1);
  assert.deepEqual(expired(at), ['web-1 maintenance']);
  assert.deepEqual([...at.eventsOf('deletion.refused'), ...at.eventsOf('deletion.failed')], []);
  assert.deepEqual(at.eventsOf('window.closed')[0]?.failed, []);
});
