import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceConfig } from '../../../src/config/config.ts';
import { backOff } from '../../support/objects/objects.ts';
import { minute, settled } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const startTime = Date.UTC(2026, 0, 1);
const crashLooping = (name = 'kapi-0') => ({ name, containers: [backOff()] });
const openings = (at: World) => at.eventsOf('window.opened').map(({ duration }) => duration);

/** A service that is already ready, and a crash-looping pod, when weeder starts. */
function startedLate(readySince: number | undefined, onStart: ServiceConfig['onStart'] = 'recent'): World {
  return world({ service: { onStart }, readySince: () => readySince }, (early) => {
    early.slice({ withTargets: true }, 'ADDED');
    early.put(crashLooping());
  });
}

test('a service that became ready shortly before weeder started gets the rest of its window', async () => {
  const at = startedLate(startTime - 90_000);
  await settled();
  assert.deepEqual(openings(at), [30_000]);
  await at.clock.pass(29_999);
  at.put(crashLooping('inside'));
  await at.clock.pass(1);
  at.put(crashLooping('outside'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'inside@29999']);
});

test('a service that has been ready for watchDuration or longer gets no window: a restart of weeder deletes nothing', async () => {
  for (const age of [2 * minute, 60 * minute]) {
    const at = startedLate(startTime - age);
    await ends(at);
    assert.deepEqual(at.timeline(), []);
    assert.deepEqual(
      at.events.map(({ type }) => type),
      ['service.ready'],
    );
  }
});

test('if it is unknown since when a service is ready, it gets a full window', async () => {
  const at = startedLate(undefined);
  await settled();
  assert.deepEqual(openings(at), [2 * minute]);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0']);
});

test('a backing pod that became ready in the future by its node’s clock gives a full window, and not more', async () => {
  const at = startedLate(startTime + 5000);
  await settled();
  assert.deepEqual(openings(at), [2 * minute]);
  await ends(at);
});

test('onStart: always gives a full window, onStart: never none, whatever the backing pods’ times', async () => {
  const always = startedLate(startTime - 60 * minute, 'always');
  await ends(always);
  assert.deepEqual(openings(always), [2 * minute]);
  const never = startedLate(startTime - 1000, 'never');
  await ends(never);
  assert.deepEqual(openings(never), []);
  assert.deepEqual(never.timeline(), []);
});

test('a recovery after the start opens a window whatever onStart is', async () => {
  for (const onStart of ['recent', 'always', 'never'] as const) {
    const at = world({ service: { onStart } }, (early) => {
      early.slice({ ready: [false] }, 'ADDED');
      early.put(crashLooping());
    });
    await at.clock.pass(10 * minute);
    assert.deepEqual(openings(at), []);
    at.slice({ ready: [true] });
    await ends(at);
    assert.deepEqual(at.timeline(), ['kapi-0@600000']);
  }
});

test('a service that becomes notReady before its backing pods were read opens no window', async () => {
  const at = startedLate(startTime - 1000);
  at.slice({ ready: [false] });
  await at.clock.pass(minute);
  assert.deepEqual(at.timeline(), []);
  at.slice({ ready: [true] });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@60000']);
});

test('only the backing pods of ready endpoints are read', async () => {
  const requested: unknown[] = [];
  const readiness = (evidence: unknown) => {
    requested.push(evidence);
    return startTime;
  };
  const at = world({ readySince: readiness }, (early) =>
    early.slice({ ready: [true, false, true], withTargets: true }),
  );
  await ends(at);
  const backingPods = ['etcd-main-client-0', 'etcd-main-client-2'];
  assert.deepEqual(requested, [{ namespace: 'shoot-1', backingPods, lastWrite: undefined }]);
});

test('after a gap in the stream a window opens only for a recovery during the gap', async () => {
  let readySince = 0;
  const at = world({ readySince: () => readySince });
  at.slice({ ready: [true], withTargets: true });
  await at.clock.pass(10 * minute);
  at.put(crashLooping());
  at.relistSlices(() => at.slice({ ready: [true], withTargets: true }, 'ADDED'));
  await at.clock.pass(minute);
  assert.deepEqual(at.timeline(), []);
  readySince = at.clock.now() - 20_000;
  at.relistSlices(() => at.slice({ ready: [true], withTargets: true }, 'ADDED'));
  await at.clock.pass(1);
  assert.deepEqual(openings(at), [2 * minute, 100_000]);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@660000']);
});

test('a recovery in a gap while a window is open replaces the window', async () => {
  let readySince = 0;
  const at = world({ readySince: () => readySince });
  at.slice({ ready: [true], withTargets: true });
  await at.clock.pass(minute);
  const gap = at.clock.now();
  await at.clock.pass(20_000);
  readySince = gap + 10_000;
  at.relistSlices(() => at.slice({ ready: [true], withTargets: true }, 'ADDED'));
  await at.clock.pass(1);
  assert.deepEqual(openings(at), [2 * minute, 110_000]);
  await at.clock.pass(100_000);
  at.put(crashLooping());
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@180001']);
});

test('a service that was notReady before the gap and is ready afterwards has recovered', async () => {
  const at = world();
  at.slice({ ready: [false] });
  at.put(crashLooping());
  await at.clock.pass(minute);
  at.relistSlices(() => at.slice({ ready: [true] }, 'ADDED'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@60000']);
});

test('a list in which the ready endpoint has moved to another slice is not an outage', async () => {
  const at = world({ readySince: () => 1 });
  at.slice({ ready: [true], name: 'a' });
  await at.clock.pass(10 * minute);
  at.put(crashLooping());
  at.relistSlices(() => {
    at.slice({ ready: [false], name: 'a' }, 'ADDED');
    at.slice({ ready: [true], name: 'b' }, 'ADDED');
  });
  await ends(at);
  assert.deepEqual(at.timeline(), []);
  assert.deepEqual(at.eventsOf('service.notReady'), []);
});

test('an interrupted list that is read again is not an outage either', async () => {
  const at = world({ readySince: () => 1 });
  at.slice({ ready: [true], name: 'a' });
  await at.clock.pass(10 * minute);
  at.put(crashLooping());
  at.weeder.slices.begin();
  at.slice({ ready: [false], name: 'a' }, 'ADDED');
  at.relistSlices(() => {
    at.slice({ ready: [false], name: 'a' }, 'ADDED');
    at.slice({ ready: [true], name: 'b' }, 'ADDED');
  });
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('a service whose slices disappeared during the gap is notReady', async () => {
  const at = world();
  at.slice({ ready: [true] });
  await at.clock.pass(minute);
  at.put(crashLooping('seen'));
  at.relistSlices(() => {});
  at.put(crashLooping('held'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['seen@60000']);
  assert.equal(at.eventsOf('service.notReady').length, 1);
});
