import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatelyInspectionEvent } from '@statelyai/inspect';
import { until, type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import { connectInspector, type Inspection, namesOf, trimmedEvent } from '../../src/actors/inspector.ts';
import { retryAfter } from '../../src/actors/socket.ts';
import { freePort } from '../support/api/freePort.ts';
import { backOff } from '../support/objects/objects.ts';
import { type InspectorPage, inspectorPage } from '../support/page/inspectorPage.ts';
import { apiserver, minute } from '../support/world/simulation.ts';
import { type World, world } from '../support/world/world.ts';

interface Connected extends Disposable {
  readonly inspect: Inspection['inspect'];
  readonly logged: readonly string[];
}

async function connected(url: string, clock: VirtualClock): Promise<Connected> {
  const logged: string[] = [];
  const log = (_about: unknown, sentence?: string) => logged.push(sentence ?? '');
  const connection = await connectInspector({ url, clock, logger: { info: log, warn: log } });
  assert.ok(connection.ok);
  return { inspect: connection.value.inspect, logged, [Symbol.dispose]: connection.value.stop };
}

/** A recovery: one pod is deleted, and the deletion of another one is always refused. */
function recovery(inspect: Inspection['inspect']): World {
  const refuse = { type: 'delete.failed', reason: 'a secret reason', failure: 'forbidden', retryAfter: 5000 } as const;
  const answer = ({ name }: { readonly name: string }) =>
    name === 'kapi-1' ? refuse : ({ type: 'delete.accepted' } as const);
  const at = world({ answer, inspect }, (before) => {
    before.slice({ ready: [false] });
    for (const name of ['kapi-0', 'kapi-1']) {
      before.put({
        name,
        containers: [backOff(4)],
        labels: { ...apiserver.matchLabels, tier: 'a secret label' },
        annotations: { token: 'a secret annotation' },
      });
    }
  });
  at.slice({ ready: [true] });
  return at;
}

const isActor = (message: StatelyInspectionEvent) => message.type === '@xstate.actor';
const hasState = ({ received }: InspectorPage, value: unknown) =>
  received.some(
    (each) => each.type === '@xstate.snapshot' && 'value' in each.snapshot && each.snapshot.value === value,
  );

test('Stately’s inspector receives the actors, their events with the sender, and their states', async () => {
  await using page = await inspectorPage();
  const clock = virtualClock();
  using connection = await connected(page.url, clock);
  await until('it is connected', () => connection.logged.length > 0);
  assert.deepEqual(connection.logged, ['the inspector is connected']);
  const at = recovery(connection.inspect);
  await at.clock.pass(1000);
  await until('the deletion that is refused is shown', () => hasState(page, 'backingOff'));
  const actors = page.received.filter(isActor);
  const named = (name: string) => actors.find((each) => each.name === name) ?? assert.fail(`no ${name}`);
  const endpoint = named('shoot-1/etcd-main-client');
  const dependants = named('dependants-1-1');
  const podWatch = named('podWatch');
  assert.deepEqual(
    [endpoint.parentId, dependants.parentId, podWatch.parentId],
    [undefined, endpoint.sessionId, dependants.sessionId],
  );
  assert.deepEqual([dependants.rootId, podWatch.rootId], [endpoint.sessionId, endpoint.sessionId]);
  assert.equal(JSON.parse(endpoint.definition ?? '').id, 'endpoint');
  const deletion = named('uid-of-shoot-1-kapi-1');
  const states = page.received.flatMap((inspectionEvent) =>
    inspectionEvent.type === '@xstate.snapshot' &&
    inspectionEvent.sessionId === deletion.sessionId &&
    'value' in inspectionEvent.snapshot
      ? [inspectionEvent.snapshot.value]
      : [],
  );
  assert.deepEqual([states[0], states.at(-1)], [{ attempting: 'queued' }, 'backingOff']);
  at.slice({ ready: [false] });
  const received = (type: string) =>
    page.received.find((each) => each.type === '@xstate.event' && each.event.type === type);
  await until('the hold is shown', () => received('window.hold') !== undefined);
  const [held, recovered] = [received('window.hold'), received('endpoint.ready')];
  assert.ok(held?.type === '@xstate.event' && recovered?.type === '@xstate.event');
  assert.deepEqual([held.sessionId, held.sourceId], [dependants.sessionId, endpoint.sessionId]);
  assert.deepEqual([recovered.sessionId, recovered.sourceId], [endpoint.sessionId, undefined]);
});

test('only names leave the process: no labels, selectors, pod states, responses or settings', async () => {
  await using page = await inspectorPage();
  using connection = await connected(page.url, virtualClock());
  await until('it is connected', () => connection.logged.length > 0);
  const at = recovery(connection.inspect);
  await at.clock.pass(3 * minute);
  await until('the end of the window is shown', () => hasState(page, 'abandoned'));
  const allowed = ['namespace', 'service', 'name', 'uid', 'window', 'actorId'];
  const unexpected = new Set<string>();
  const check = (keys: object, allowedKeys: readonly string[]) => {
    for (const key of Object.keys(keys)) if (!allowedKeys.includes(key)) unexpected.add(key);
  };
  for (const inspectionEvent of page.received) {
    if ('event' in inspectionEvent) check(inspectionEvent.event, ['type', ...allowed]);
    if ('snapshot' in inspectionEvent) check(inspectionEvent.snapshot, ['status', 'value', 'context']);
    if ('snapshot' in inspectionEvent && 'context' in inspectionEvent.snapshot)
      check(Object(inspectionEvent.snapshot.context), allowed);
  }
  assert.deepEqual([...unexpected], []);
  const versions = at.pods().map(({ metadata }) => metadata.resourceVersion);
  const text = JSON.stringify(page.received.map(({ createdAt: _createdAt, ...each }) => each));
  for (const secret of [
    'a secret',
    'CrashLoop back',
    apiserver.matchLabels.role,
    ...versions.map((each) => `"${each}"`),
  ])
    assert.ok(!text.includes(secret), secret);
  assert.ok(text.includes('"kapi-0"'), 'the names of pods are sent');
});

test('only strings and numbers under keys for names are sent of an object', () => {
  const context = { namespace: 'a', name: 'b', window: 1, token: 'secret', pod: { uid: 'c' }, uid: {}, service: ['d'] };
  assert.deepEqual(namesOf(context), { namespace: 'a', name: 'b', window: 1 });
  for (const other of [undefined, null, 'name', 7, ['name']]) assert.deepEqual(namesOf(other), {});
  const error = { type: 'xstate.error.actor.x', actorId: 'x', error: new Error('secret') };
  assert.deepEqual(trimmedEvent(error), { type: 'xstate.error.actor.x', actorId: 'x' });
});

test('an inspector that connects late receives the running actors, and none that have ended', async () => {
  const port = await freePort();
  const clock = virtualClock();
  using connection = await connected(`ws://127.0.0.1:${port}`, clock);
  const absent = 'no inspector at this address, retrying';
  await until('the absence is logged', () => connection.logged.includes(absent));
  const at = recovery(connection.inspect);
  await at.clock.pass(1000);
  clock.advance(retryAfter);
  await until('the connection was retried', () => clock.pending === 1);
  assert.deepEqual(connection.logged, [absent], 'reported once');
  await using page = await inspectorPage(port);
  clock.advance(retryAfter);
  await until('it is connected', () => connection.logged.includes('the inspector is connected'));
  await until('the actors are sent', () => page.received.length >= 4);
  const received = page.received.filter(isActor).map(({ name, snapshot }) => [name, snapshot.value]);
  assert.deepEqual(received, [
    ['shoot-1/etcd-main-client', { ready: { windowOpen: 'settled' } }],
    ['dependants-1-1', { open: { pods: 'watching', timer: 'running' } }],
    ['podWatch', undefined],
    ['uid-of-shoot-1-kapi-1', 'backingOff'],
  ]);
});
