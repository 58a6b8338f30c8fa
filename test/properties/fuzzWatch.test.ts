import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, objectOf } from '@weeder/kube-runtime/base';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import { type LineOutcome, lineSplitter, watchReader } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import { byteEdit, edited, editedBytes, valueEdit } from '../support/fuzz.ts';
import { backOff, pod, running, slice, terminated } from '../support/objects/objects.ts';
import { minute, type Simulation, simulate } from '../support/world/simulation.ts';

const start = Date.UTC(2026, 0, 1);
const kinds = { pods: 'Pod', slices: 'EndpointSlice' } as const;

interface Event {
  readonly type: string;
  readonly object: unknown;
}

/** The lines that a stream may have, as a correct server writes them. */
const podEvents: readonly Event[] = [
  { type: 'MODIFIED', object: pod({ containers: [backOff(4)] }) },
  { type: 'ADDED', object: pod({ name: 'silent', containers: [terminated(start)] }) },
  { type: 'MODIFIED', object: pod({ name: 'well', containers: [running(2)] }) },
  { type: 'ADDED', object: pod({ name: 'bare', containers: [backOff(1)], isBare: true }) },
  {
    type: 'ADDED',
    object: pod({ name: 'kept', containers: [backOff(1)], annotations: { 'weeder.dev/ignore': 'true' } }),
  },
  { type: 'MODIFIED', object: pod({ name: 'init', initContainers: [backOff(2)], containers: [] }) },
  { type: 'DELETED', object: pod({ containers: [backOff(4)] }) },
  {
    type: 'BOOKMARK',
    object: { kind: 'Pod', metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } } },
  },
  { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old', details: {} } },
];
const sliceEvents: readonly Event[] = [
  { type: 'MODIFIED', object: slice({ ready: [true], withTargets: true, written: start }) },
  { type: 'MODIFIED', object: slice({ ready: [false, null] }) },
  { type: 'ADDED', object: slice({ ready: [] }) },
  { type: 'DELETED', object: slice() },
];

/** A recovery with nothing crash-looping yet: whatever crash-loops from now on is deleted at once. */
function inWindow(): Simulation {
  const at = simulate({ startTime: start }, ({ slice: put }) => put({ ready: [false] }));
  at.slice({ ready: [true] });
  return at;
}

/** Reads what a stream sent, as a watch does: up to the first line that ends it. */
function read(
  at: Simulation,
  resource: keyof typeof kinds,
  bytes: Buffer,
  checksMetadata = true,
): readonly LineOutcome[] {
  const [pods] = at.weeder.pods.values();
  assert(pods !== undefined);
  const sink = resource === 'pods' ? pods : at.weeder.slices;
  const blind = {
    begin: () => sink.begin(),
    apply: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: unknown) => sink.apply(type, object),
    end: (version?: string) => sink.end(version),
  };
  const reader = watchReader({ kind: kinds[resource] }, checksMetadata ? sink : blind, '1');
  const outcomes: LineOutcome[] = [];
  lineSplitter(1 << 20).push(Buffer.concat([bytes, Buffer.from('\n')]), (line) => {
    const before = [stateOf(at), reader.position];
    const outcome = reader.read(line);
    outcomes.push(outcome);
    assert.ok(reader.position !== undefined && reader.position !== '');
    if (outcome !== 'changed') assert.deepEqual(stateOf(at), before[0], 'what ends a stream changes nothing');
    if (typeof outcome === 'object') assert.equal(reader.position, before[1], 'and it is read again');
    return typeof outcome === 'string';
  });
  return outcomes;
}

function stateOf({ weeder, deletions }: Simulation) {
  const { crashLoopingPods, endpoints, windows } = weeder.counts();
  return { crashLoopingPods, endpoints, windows, deletions: deletions.length };
}

/** Whether an object may count as crash-looping and may be deleted, by a simple independent check. */
function mayBeDeleted(object: unknown): boolean {
  const { metadata, status } = objectOf(object);
  const { deletionTimestamp, annotations, ownerReferences } = objectOf(metadata);
  if (deletionTimestamp !== undefined || objectOf(annotations)['weeder.dev/ignore'] === 'true') return false;
  if (!Array.isArray(ownerReferences) || !ownerReferences.some((owner) => objectOf(owner)['controller'] === true))
    return false;
  const { containerStatuses, initContainerStatuses } = objectOf(status);
  const statuses = [containerStatuses, initContainerStatuses].flatMap((each) => (Array.isArray(each) ? each : []));
  return statuses.some((status) => {
    const { waiting, terminated: ended } = objectOf(objectOf(status)['state']);
    return objectOf(waiting)['reason'] === 'CrashLoopBackOff' || isObject(ended);
  });
}

/** Every requested deletion is of a pod that a line delivered, in that version, and that may be deleted. */
function assertDeletionsAreDelivered(at: Simulation, bytes: Buffer): void {
  const delivered = bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const event: unknown = JSON.parse(line);
        return isObject(event) ? [objectOf(event['object'])] : [];
      } catch {
        return [];
      }
    });
  for (const { uid, resourceVersion, namespace, name } of at.deletions) {
    for (const text of [uid, resourceVersion, namespace, name]) assert.ok(text.length > 0);
    const isDelivered = delivered.some((object) => {
      const metadata = objectOf(object['metadata']);
      const isSame = metadata['uid'] === uid && metadata['resourceVersion'] === resourceVersion;
      return isSame && metadata['name'] === name && metadata['namespace'] === namespace && mayBeDeleted(object);
    });
    assert.ok(isDelivered, `${namespace}/${name} ${uid} ${resourceVersion}`);
  }
}

/** Long enough for every window to close: nothing is left then, and no actor has failed. */
async function assertEnds(at: Simulation, bytes: Buffer): Promise<void> {
  await at.clock.pass(3000);
  assertDeletionsAreDelivered(at, bytes);
  await at.clock.pass(5 * minute);
  const { windows, podDeletions, queued, inFlight } = at.weeder.counts();
  assert.deepEqual({ windows, podDeletions, queued, inFlight, timers: at.clock.pending }, nothing);
  assert.deepEqual(at.eventsOf('actor.failed'), []);
}
const nothing = { windows: 0, podDeletions: 0, queued: 0, inFlight: 0, timers: 0 };

const edits = fc.array(valueEdit, { minLength: 1, maxLength: 3 });
const scenes = fc.oneof(
  fc.record({
    resource: fc.constant('pods' as const),
    events: fc.array(fc.constantFrom(...podEvents), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    resource: fc.constant('slices' as const),
    events: fc.array(fc.constantFrom(...sliceEvents), { minLength: 1, maxLength: 4 }),
  }),
);
const linesOf = (events: readonly unknown[]) => Buffer.from(events.map((each) => JSON.stringify(each)).join('\n'));

test('with any value anywhere, an event is reported as garbled, or taken for no more than it contains', () =>
  assertMeets({ deletions: 10, 'garbled lines': 10 }, 300, (met) =>
    fc.asyncProperty(scenes, edits, async ({ resource, events }, changes) => {
      const at = inWindow();
      const bytes = linesOf([edited(events[0], changes), ...events.slice(1)]);
      const outcomes = read(at, resource, bytes);
      met['garbled lines'] += outcomes.filter((each) => typeof each === 'object' && 'garbled' in each).length;
      assert.doesNotMatch(JSON.stringify(outcomes), /\[object/);
      await assertEnds(at, bytes);
      met.deletions += at.deletions.length;
    }),
  ));

test('with any bytes, a stream is reported as garbled, or taken for no more than it contains', async () => {
  const changes = fc.array(byteEdit, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(scenes, changes, async ({ resource, events }, byteEdits) => {
      const at = inWindow();
      const bytes = editedBytes(linesOf(events), byteEdits);
      read(at, resource, bytes);
      await assertEnds(at, bytes);
    }),
    propertyRuns(300),
  );
});

test('an object that is not parsed because it cannot matter would not have mattered', () => {
  fc.assert(
    fc.property(scenes, edits, ({ resource, events }, changes) => {
      const bytes = linesOf([...events.slice(1), edited(events[0], changes)]);
      const [quick, thorough] = [inWindow(), inWindow()];
      assert.deepEqual(read(quick, resource, bytes), read(thorough, resource, bytes, false));
      assert.deepEqual(stateOf(quick), stateOf(thorough));
    }),
    propertyRuns(200),
  );
});

test('a line nested as deep as it is long ends the stream or passes, and breaks nothing', async () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    const event = JSON.stringify({ type: 'MODIFIED', object: pod({ containers: [backOff(4)] }) });
    for (const place of ['"metadata":{', '"status":{', '"spec":{', '"state":{', '"labels":{']) {
      const at = inWindow();
      const bytes = Buffer.from(event.replace(place, `${place}"deep":${deep},`).replace(',}', '}'));
      assert.deepEqual(read(at, 'pods', bytes), ['changed'], `${open} ${place}`);
      await assertEnds(at, bytes);
      assert.equal(at.deletions.length, 1);
    }
  }
});
