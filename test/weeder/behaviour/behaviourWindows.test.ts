import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff } from '../../support/objects/objects.ts';
import { configFor, minute } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const down = { ready: [false] };
const up = { ready: [true] };
const crashLooping = (name = 'kapi-0') => ({ name, containers: [backOff()] });

const openings = (at: World) => at.eventsOf('window.opened').map(({ window, duration }) => [window, duration]);

test('a recovery opens a window, and the crash-looping dependant is deleted at once', async () => {
  const at = world();
  at.slice(down);
  at.put(crashLooping());
  await at.clock.pass(5000);
  assert.deepEqual(at.timeline(), []);
  at.slice(up);
  await at.clock.pass(1);
  assert.deepEqual(at.timeline(), ['kapi-0@5000']);
  assert.deepEqual(openings(at), [[1, 2 * minute]]);
  await ends(at);
});

test('a service that appears for the first time, ready, opens a window', async () => {
  const at = world();
  at.put(crashLooping());
  await at.clock.pass(5000);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@5000']);
});

test('a service that appears notReady opens none, and neither does one that is not in the config', async () => {
  const at = world();
  at.put(crashLooping());
  at.slice(down);
  at.slice({ ...up, service: 'other' });
  await ends(at);
  assert.deepEqual(openings(at), []);
  assert.deepEqual(at.timeline(), []);
});

test('a service that stays ready opens none: a second replica, one more slice, a slice replaced or split', async () => {
  const at = world();
  at.slice({ ready: [true, false] });
  await at.clock.pass(10 * minute);
  at.put(crashLooping());
  at.slice({ ready: [true, true] });
  at.slice({ ready: [true], name: 'second' });
  at.slice({ ready: [false] });
  at.slice({ ready: [true], name: 'third' });
  at.slice({ name: 'second' }, 'DELETED');
  await ends(at);
  assert.equal(openings(at).length, 1);
  assert.deepEqual(at.timeline(), []);
});

test('the deletion of slices opens none; a service that returns after its last slice was deleted does', async () => {
  const at = world();
  at.slice(up);
  at.slice({ ...down, name: 'second' });
  await at.clock.pass(10 * minute);
  at.put(crashLooping());
  at.slice({ name: 'second' }, 'DELETED');
  at.slice({}, 'DELETED');
  await at.clock.pass(minute);
  assert.deepEqual(at.timeline(), []);
  assert.equal(at.weeder.counts().endpoints, 0);
  at.slice(up);
  await ends(at);
  assert.equal(at.timeline().length, 1);
});

test('a window lasts exactly watchDuration', async () => {
  const at = world();
  at.slice(up);
  await at.clock.pass(2 * minute - 1);
  at.put(crashLooping('inside'));
  await at.clock.pass(1);
  at.put(crashLooping('outside'));
  await ends(at);
  assert.deepEqual(at.timeline(), [`inside@${2 * minute - 1}`]);
  assert.equal(at.eventsOf('window.closed').length, 1);
});

test('a window does not end early, whatever happens to the pods: a crash-looping successor is deleted too', async () => {
  const at = world();
  at.put(crashLooping());
  at.slice(up);
  await at.clock.pass(minute);
  at.put({ ...crashLooping('kapi-1'), uid: 'second' });
  await at.clock.pass(minute - 1);
  at.put({ ...crashLooping('kapi-1'), uid: 'third' });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'kapi-1@60000', 'kapi-1@119999']);
  assert.equal(at.eventsOf('window.closed')[0]?.deleted, 3);
});

test('a new recovery replaces the open window with a new one', async () => {
  const at = world();
  at.slice(up);
  await at.clock.pass(minute);
  at.slice(down);
  at.slice(up);
  assert.equal(at.weeder.counts().windows, 1);
  await at.clock.pass(2 * minute - 1);
  at.put(crashLooping('inside'));
  await at.clock.pass(1);
  at.put(crashLooping('outside'));
  await ends(at);
  assert.deepEqual(at.timeline(), [`inside@${3 * minute - 1}`]);
  assert.deepEqual(openings(at), [
    [1, 2 * minute],
    [2, 2 * minute],
  ]);
  const closings = at.events.flatMap((event) => {
    if (event.type === 'window.opened') return [`${event.window} opened`];
    return event.type === 'window.closed' ? [`${event.window} ${event.isReplaced ? 'replaced' : 'closed'}`] : [];
  });
  assert.deepEqual(closings, ['1 opened', '2 opened', '1 replaced', '2 closed']);
});

test('while the service is notReady again the window stays open and deletes nothing, until the next recovery', async () => {
  const at = world();
  at.slice(up);
  await at.clock.pass(1000);
  at.slice(down);
  at.put(crashLooping('while-down'));
  await at.clock.pass(30_000);
  assert.equal(at.weeder.counts().windows, 1);
  assert.deepEqual(at.timeline(), []);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['while-down@31000']);
});

test('a held window that expires deletes nothing, and its pods do not count as failed', async () => {
  const at = world({ answer: () => ({ type: 'delete.failed' }) });
  at.put(crashLooping());
  at.slice(up);
  await at.clock.pass(1000);
  at.slice(down);
  const tries = at.deletions.length;
  await ends(at);
  assert.equal(at.deletions.length, tries);
  assert.equal(at.eventsOf('deletion.blocked').length, 1);
  assert.deepEqual(at.eventsOf('deletion.failed'), []);
  assert.deepEqual(at.eventsOf('window.closed')[0]?.failed, []);
});

test('whileNotReady: delete continues to delete while the service is notReady, until the window ends', async () => {
  const at = world({ service: { whileNotReady: 'delete' } });
  at.slice(up);
  await at.clock.pass(1000);
  at.slice(down);
  at.put(crashLooping('while-down'));
  await at.clock.pass(2 * minute - 1000);
  at.put(crashLooping('after'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['while-down@1000']);
});

test('a reload to whileNotReady: delete deletes in the held window, unless the window is over by the same reload', async () => {
  for (const [watchDuration, expected] of [
    [90_000, ['kapi-0@61000']],
    [30_000, []],
  ] as const) {
    const at = world();
    at.slice(up);
    await at.clock.pass(1000);
    at.slice(down);
    at.put(crashLooping());
    await at.clock.pass(minute);
    at.weeder.configure(configFor({ service: { watchDuration, whileNotReady: 'delete' } }));
    await ends(at);
    assert.deepEqual(at.timeline(), expected);
  }
});

test('a service that flaps ten times within a second deletes once, and its last window has the full duration', async () => {
  const at = world();
  at.put(crashLooping());
  for (let flap = 0; flap < 10; flap += 1) {
    at.slice(up);
    await at.clock.pass(50);
    at.slice(down);
    await at.clock.pass(50);
  }
  at.slice(up);
  assert.equal(at.weeder.counts().windows, 1);
  await at.clock.pass(2 * minute - 1);
  at.put(crashLooping('inside'));
  await at.clock.pass(1);
  at.put(crashLooping('outside'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'inside@120999']);
  assert.equal(at.eventsOf('window.closed').length, 11);
});

test('no actor remains of a deleted service, whether it was ready, notReady or held before', async () => {
  const runs = [[up], [up, down], [down]];
  for (const wait of [0, 10 * minute]) {
    for (const life of runs) {
      const at = world();
      for (const endpoints of life) at.slice(endpoints);
      await at.clock.pass(wait);
      at.slice({}, 'DELETED');
      await ends(at);
      assert.equal(at.weeder.counts().endpoints, 0);
    }
  }
});

test('a broken dependant of services that flap or recover in turn is deleted after growing pauses, in all windows together', async () => {
  const flap = async (services: readonly string[]) => {
    const at = world({ services: services.map((name) => ({ name })) });
    let count = 0;
    const replace = () => at.put({ name: `kapi-${++count}`, created: at.clock.now(), containers: [backOff()] });
    replace();
    for (let round = 0; round < 15; round += 1) {
      const service = services[round % services.length] ?? '';
      at.slice({ service, ready: [true] });
      for (let second = 0; second < 8; second += 1) {
        await at.clock.pass(1000);
        if (at.pods().length === 0) replace();
      }
      at.slice({ service, ready: [false] });
      await at.clock.pass(12_000);
    }
    await at.clock.pass(600_000);
    at.slice({ service: services[0] ?? '', ready: [true] });
    await at.clock.pass(1000);
    return at.timeline().map((each) => Number(each.split('@')[1]) / 1000);
  };
  // Windows of 8 s: the pauses of 10, 20, 40, 80 and 160 s end in the next one.
  assert.deepEqual(await flap(['etcd']), [0, 20, 40, 80, 160, 900]);
  assert.deepEqual(await flap(['etcd', 'dns']), [0], 'the window of each waits for the other service, which is down');
});
