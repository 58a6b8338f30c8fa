import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { createActorTimes } from '../../src/actors/actorTimes.ts';
import { type ActorEntry, type ActorFilter, describeActors } from '../../src/actors/debugActors.ts';
import { backOff } from '../support/objects/objects.ts';
import { observed } from '../support/objects/observed.ts';
import { embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';
import type { SimulationOptions } from '../support/world/simulation.ts';
import { type World, world } from '../support/world/world.ts';

const startTime = Date.UTC(2026, 0, 1, 12);

/** A simulation whose actors can be described, with its own time. */
function described(options: SimulationOptions, before?: (at: World) => void) {
  let at: World | undefined;
  const times = createActorTimes({ now: () => at?.clock.now() ?? startTime });
  at = world({ ...options, startTime, inspect: times.inspect }, (early) => {
    at = early;
    before?.(early);
  });
  const { weeder } = at;
  const list = (filter: ActorFilter = {}) => [...describeActors(weeder.actors(), times, filter)];
  return { at, list };
}

const refuse = () => ({ type: 'delete.failed', reason: 'no', failure: 'unavailable', retryAfter: 5000 }) as const;

test('every actor shows its machine, its state, since when, and its timers', async () => {
  const { at, list } = described({ answer: refuse }, (before) => {
    before.slice({ ready: [false] });
    before.put({ containers: [backOff(4)] });
  });
  assert.deepEqual(list(), []);
  at.slice({ ready: [true] });
  await at.clock.pass(1000);
  const since = '2026-01-01T12:00:00.000Z';
  assert.deepEqual(list(), [
    {
      machine: 'endpoint',
      id: 'shoot-1/etcd-main-client',
      state: { ready: { windowOpen: 'settled' } },
      since,
      timers: [],
      children: [{ id: 'dependants-1-1', src: 'dependants' }],
    },
    {
      machine: 'dependants',
      id: 'dependants-1-1',
      parent: 'shoot-1/etcd-main-client',
      state: { open: { timer: 'running', pods: 'watching' } },
      since,
      timers: [{ delay: 'watchDuration', state: 'dependants.open.timer.running', due: '2026-01-01T12:02:00.000Z' }],
      children: [{ id: 'podWatch', src: 'podWatch' }],
    },
    {
      machine: 'podDeletion',
      id: 'uid-of-shoot-1-kapi-0',
      state: 'backingOff',
      since,
      timers: [{ delay: 'retryDelay', state: 'podDeletion.backingOff', due: '2026-01-01T12:00:05.000Z' }],
      children: [],
    },
  ] satisfies ActorEntry[]);
});

for (const [pods, declared, expected] of [
  ['no pods', undefined, 2],
  ['pods', { services: new Set(['shoot-1/db']) }, 3],
] as const)
  test(`where ${pods} may declare them, services with two podSelectors have ${expected} children each`, () => {
    const podSelectors = ['apiserver', 'scheduler'].map((role) => ({ matchLabels: { role } }));
    const names = ['db', 'dns'];
    const services = names.map((name) => ({ name, podSelectors }));
    const { at, list } = described({ services, ...(declared && { declared }) }, (before) => {
      for (const service of names) before.slice({ service, ready: [false] });
    });
    for (const service of names) at.slice({ service, ready: [true] });
    const children = list({ machine: 'dependants' });
    const expectedIds = Array.from({ length: expected }, (_, index) => `dependants-1-${index + 1}`);
    for (const endpoint of list({ machine: 'endpoint' })) {
      const own = children.filter(({ parent }) => parent === endpoint.id);
      for (const entries of [own, endpoint.children])
        assert.deepEqual(
          entries.map(({ id }) => id),
          expectedIds,
        );
    }
    assert.equal(children.length, names.length * expected);
    for (const { state, timers, children: actors } of children) {
      assert.deepEqual(state, { open: { timer: 'running', pods: 'watching' } });
      assert.deepEqual(
        timers.map(({ delay, due }) => [delay, due]),
        [['watchDuration', '2026-01-01T12:02:00.000Z']],
      );
      assert.deepEqual(actors, [{ id: 'podWatch', src: 'podWatch' }]);
    }
  });

test('the time is that of the last state change, regardless of other events', async () => {
  const { at, list } = described({}, (before) => before.slice({ ready: [false] }));
  at.slice({ ready: [true] });
  const sinceOf = () => list({ machine: 'endpoint' })[0]?.since;
  await at.clock.pass(30_000);
  assert.equal(sinceOf(), '2026-01-01T12:00:00.000Z');
  at.slice({ ready: [true, true] });
  at.slice({ ready: [false] });
  assert.equal(sinceOf(), '2026-01-01T12:00:30.000Z');
  await at.clock.pass(90_000);
  assert.equal(sinceOf(), '2026-01-01T12:02:00.000Z');
});

test('an update that changes no state leaves the time unchanged', async () => {
  const { at, list } = described({ answer: refuse }, (before) => {
    before.slice({ ready: [false] });
    before.put({ containers: [backOff(4)] });
  });
  at.slice({ ready: [true] });
  await at.clock.pass(1000);
  const before = list({ machine: 'podDeletion' });
  assert.deepEqual(
    before.map(({ state, since }) => [state, since]),
    [['backingOff', '2026-01-01T12:00:00.000Z']],
  );
  at.put({ containers: [backOff(5)] });
  assert.deepEqual(list({ machine: 'podDeletion' }), before);
});

test('actors are filtered by machine, and by state: a name at any depth, or a path', async () => {
  const { at, list } = described({ answer: refuse }, (before) => {
    before.slice({ ready: [false] });
    before.put({ containers: [backOff(4)] });
  });
  at.slice({ ready: [true] });
  await at.clock.pass(100);
  const machinesOf = (filter: ActorFilter) => list(filter).map(({ machine }) => machine);
  assert.deepEqual(machinesOf({ machine: 'podDeletion' }), ['podDeletion']);
  assert.deepEqual(machinesOf({ machine: 'lease' }), []);
  assert.deepEqual(machinesOf({ state: 'windowOpen' }), ['endpoint']);
  assert.deepEqual(machinesOf({ state: 'ready.windowOpen' }), ['endpoint']);
  assert.deepEqual(machinesOf({ state: 'pods.watching' }), ['dependants']);
  assert.deepEqual(machinesOf({ state: 'open.timer' }), ['dependants']);
  assert.deepEqual(machinesOf({ state: 'weed' }), []);
  assert.deepEqual(machinesOf({ state: 'backingOff', machine: 'podDeletion' }), ['podDeletion']);
  assert.deepEqual(machinesOf({ state: 'backingOff', machine: 'endpoint' }), []);
});

const config = `
servicesAndDependantSelectors:
  db:
    podSelectors:
      - matchLabels: {app: web}
`;

interface Listed {
  readonly actors: readonly ActorEntry[];
}

test('over HTTP: the manager with its reflectors, in JSON, pretty on request, read-only', async () => {
  await using cluster = await embedded();
  await using weeder = startEmbeddedWeeder(cluster, config);
  await using seen = await observed(['db']);
  assert.equal(await (await seen.health('/debug/actors')).text(), '{"actors":[\n]}\n');
  seen.observation.watch(weeder.manager);
  await until('weeder runs', () => weeder.manager.state() === 'running');
  const answer = await seen.health('/debug/actors');
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  const text = await answer.text();
  const { actors }: Listed = JSON.parse(text);
  assert.deepEqual(
    actors.map(({ machine, id, parent, state }) => ({ machine, id, parent, state })),
    [
      { machine: 'manager', id: 'manager', parent: undefined, state: 'running' },
      { machine: 'reflector', id: 'endpointslices', parent: 'manager', state: { connected: 'watching' } },
      { machine: 'reflector', id: 'pods app=web', parent: 'manager', state: { connected: 'watching' } },
    ],
  );
  for (const { since = '' } of actors) assert.ok(Math.abs(Date.now() - Date.parse(since)) < 20_000, since);
  assert.deepEqual(
    actors[0]?.children.map(({ id }) => id),
    ['leadership', 'endpointslices', 'pods app=web'],
  );
  assert.equal(text.split('\n').length, 3 + 3);
  const pretty: Listed = JSON.parse(await (await seen.health('/debug/actors?pretty&machine=manager')).text());
  assert.deepEqual(
    pretty.actors.map(({ id }) => id),
    ['manager'],
  );
  const head = await seen.health('/debug/actors', { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    assert.equal((await seen.health('/debug/actors', { method })).status, 405, method);
  assert.equal(weeder.manager.state(), 'running');
  assert.deepEqual(seen.errors, []);
});

test('10,000 services with open windows are all listed, and a reader that disconnects breaks nothing', async () => {
  const many = 10_000;
  const { at } = described({}, (before) => {
    for (let index = 0; index < many; index += 1) before.slice({ namespace: `shoot-${index}`, ready: [false] });
  });
  for (let index = 0; index < many; index += 1) at.slice({ namespace: `shoot-${index}`, ready: [true] });
  await using cluster = await embedded();
  await using weeder = startEmbeddedWeeder(cluster, config);
  await using seen = await observed();
  const actors = () => at.weeder.actors();
  seen.observation.watch({ ...weeder.manager, actors });
  const controller = new AbortController();
  const begun = await seen.health('/debug/actors', { signal: controller.signal });
  controller.abort();
  await assert.rejects(begun.text());
  const { actors: entries }: Listed = JSON.parse(await (await seen.health('/debug/actors')).text());
  assert.equal(entries.length, 2 * many);
  assert.equal(new Set(entries.filter(({ machine }) => machine === 'endpoint').map(({ id }) => id)).size, many);
  const waiting: Listed = JSON.parse(await (await seen.health('/debug/actors?machine=dependants&state=open')).text());
  assert.equal(waiting.actors.length, many);
  assert.deepEqual(seen.errors, []);
});
