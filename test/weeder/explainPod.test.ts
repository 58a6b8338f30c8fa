import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, ok } from '@weeder/kube-runtime/base';
import type { Config } from '../../src/config/config.ts';
import { explainObject } from '../../src/explain/explainedObject.ts';
import { explainPod } from '../../src/explain/explainPod.ts';
import { inspectCluster } from '../../src/explain/inspectCluster.ts';
import type { WrittenEvent } from '../../src/weeder/report/podReport.ts';
import { backOff, notPulled, pod, running, slice, terminated } from '../support/objects/objects.ts';
import { declaringPod, listInto } from '../support/world/declaringPods.ts';
import { declaredConfig, serviceConfig } from '../support/world/simulation.ts';

interface Cluster {
  /** Whether each service is ready; none has an EndpointSlice otherwise. */
  readonly ready?: Readonly<Record<string, boolean>>;
  readonly events?: readonly WrittenEvent[];
  /** Undefined: the pod does not exist. */
  readonly object: JsonObject | undefined;
}

const services = new Map([['api', serviceConfig({ name: 'api', podSelectors: [{ matchLabels: { app: 'web' } }] })]]);
const config: Config = { services, declared: declaredConfig(), restart: undefined };

async function explained({ ready = { db: true }, events = [], object }: Cluster): Promise<string[]> {
  const slices = Object.entries(ready).map(([service, isReady]) =>
    slice({ namespace: 'shop', service, ready: [isReady] }),
  );
  const view = await inspectCluster(config, 'all', async ({ kind, labelSelector, sink }) => {
    const isSelected = labelSelector !== 'app=web' || object === selected;
    listInto(sink, ...(kind === 'Pod' ? (object === undefined || !isSelected ? [] : [object]) : slices));
    return ok(undefined);
  });
  assert.ok(view.ok);
  return explainObject(explainPod({ namespace: 'shop', name: 'web-0', object, view: view.value, events }));
}

const web = { name: 'web-0', namespace: 'shop' };
const looping = { ...web, containers: [backOff()] };
const selected = pod({ ...looping, labels: { app: 'web' } });
const head = 'Pod shop/web-0:';
const unseen = `${head} Not deleted: no dependant of a service that crash-loops now has this name.`;
const deletable = '→ would be deleted in a window';

test('a pod that no service selects says so, whether it crash-loops or not', async () => {
  const none = `${unseen} No podSelector of the config selects the pod of this name, and it declares no service that is watched.`;
  assert.deepEqual(await explained({ object: pod(looping) }), [none]);
  assert.deepEqual(await explained({ object: pod(web) }), [none]);
});

test('only the running weeder knows whether a window is open; explain says whether the service is ready', async () => {
  const object = declaringPod('db', looping);
  assert.deepEqual(await explained({ object }), [
    `${head} Deleted only while a window is open: service db is ready, and only the running weeder knows whether one is.`,
    `  service shop/db: Ready  ${deletable}`,
  ]);
  assert.deepEqual(await explained({ object, ready: { db: false } }), [
    `${head} Not deleted now: service db is down, and a window opens when it recovers.`,
    `  service shop/db: Down  ${deletable}`,
  ]);
  assert.deepEqual(await explained({ object, ready: {} }), [
    `${head} Not deleted now: service db has had no EndpointSlice, and a window opens when it recovers.`,
    `  service shop/db: No EndpointSlice  ${deletable}`,
  ]);
});

test('a podSelector of the config counts in the namespaces of its dependants', async () => {
  const [, line] = await explained({ object: selected, ready: { api: true } });
  assert.equal(line, `  service shop/api: Ready  ${deletable}`);
});

test('a pod of two services waits in a window for the other one', async () => {
  const object = declaringPod('db', { ...looping, annotation: 'cache' });
  const waits =
    'would wait in a window, if weeder has seen shop/cache ready before: another service on which the pod depends is down';
  assert.deepEqual(await explained({ object, ready: { db: true, cache: false } }), [
    `${head} Not deleted now: service cache is down, and a window opens when it recovers.`,
    `  service shop/db: Ready  → ${waits}`,
    `  service shop/cache: Down  ${deletable}`,
  ]);
});

test('a pod that is skipped, has never started, or does not crash-loop says so', async () => {
  const answer = async (object: JsonObject) => (await explained({ object }))[0];
  const bare = declaringPod('db', { ...looping, isBare: true });
  const skipped = 'Skipped: it has no controller that would recreate it (barePods: keep).';
  assert.equal(await answer(bare), `${head} ${skipped}`);
  const ignored = declaringPod('db', { ...looping, annotations: { 'weeder.dev/ignore': 'true' } });
  assert.equal(await answer(ignored), `${head} Skipped: it is annotated weeder.dev/ignore: "true".`);
  const mirror = declaringPod('db', { ...looping, annotations: { 'kubernetes.io/config.mirror': '2f1c' } });
  assert.equal(await answer(mirror), `${head} Skipped: it is the mirror of a static pod.`);
  const pulls = declaringPod('db', { ...web, containers: [{ state: { waiting: { reason: 'ErrImagePull' } } }] });
  const never = 'Not deleted: container main-0 has never started (ErrImagePull), because the image cannot be pulled,';
  assert.equal(await answer(pulls), `${head} ${never} and the kubelet tries again.`);
  const ready = declaringPod('db', { ...web, containers: [running()], conditions: { Ready: 'True' } });
  assert.equal(await answer(ready), `${unseen} The pod of this name does not crash-loop (Running, Ready).`);
  const first = declaringPod('db', { ...web, containers: [terminated(0, 0)] });
  const state = 'Running, not Ready, container main-0 terminated (Error)';
  assert.equal(await answer(first), `${unseen} The pod of this name does not crash-loop (${state}).`);
});

test('a pod that waits for the image of a declared service is answered like one that crash-loops, and any other is not', async () => {
  const waits = (container = notPulled({ image: 'db.shop.svc:5000/web:1' })) =>
    declaringPod('db', {
      ...web,
      phase: 'Pending',
      labels: { app: 'web' },
      containers: [container],
      annotation: 'api',
    });
  assert.deepEqual(await explained({ object: waits(), ready: { db: false, api: true } }), [
    `${head} Not deleted now: service db is down, and a window opens when it recovers.`,
    `  service shop/db: Down  ${deletable}`,
  ]);
  const never =
    'Not deleted: container main-0 has never started (ImagePullBackOff), because the image cannot be pulled,';
  const [sentence, ...lines] = await explained({ object: waits(notPulled()), ready: { db: false, api: true } });
  assert.equal(sentence, `${head} ${never} and the kubelet tries again.`);
  assert.deepEqual(lines, ['  service shop/db: Down', '  service shop/api: Ready']);
});

const at = Date.UTC(2026, 0, 1, 12);
const deleted = {
  uid: 'old',
  reason: 'PodDeleted',
  note: 'Deleted, because service db recovered: container main was in CrashLoopBackOff after 3 restarts. It last ended with exit code 1.',
  at,
};
const deletedLine = `  Event 2026-01-01T12:00:00Z PodDeleted: ${deleted.note}`;

test('a pod that is gone says from the Event of weeder when it was deleted, and how its last run ended', async () => {
  const sentence = deleted.note.replace(',', ' at 2026-01-01T12:00:00Z,').replace('. It', '; it');
  assert.deepEqual(await explained({ object: undefined, events: [deleted] }), [`${head} ${sentence}`, deletedLine]);
});

test('a new pod of the same name is answered by its own state, beside the Event', async () => {
  const [sentence, , event] = await explained({ object: declaringPod('db', looping), events: [deleted] });
  assert.match(sentence ?? '', /Deleted only while a window is open/);
  assert.equal(event, deletedLine);
});

test('a pod that is terminating was deleted by weeder if its Event says so', async () => {
  const object = declaringPod('db', { ...looping, uid: 'old', deletionTimestamp: '2026-01-01T12:00:00Z' });
  const answer = async (events: readonly WrittenEvent[]) => (await explained({ object, events }))[0];
  assert.match(
    (await answer([deleted])) ?? '',
    /^Pod shop\/web-0: Deleted at 2026-01-01T12:00:00Z, because service db/,
  );
  const since = 'The pod of this name has been terminating since 2026-01-01T12:00:00Z.';
  assert.equal(await answer([]), `${unseen} ${since}`);
  const ofEarlier = await answer([{ ...deleted, uid: 'older' }]);
  assert.ok(ofEarlier?.startsWith(`${head} Deleted at`) && ofEarlier.endsWith(since), `${ofEarlier}`);
});

test('a deletion that has failed is answered as its Event says', async () => {
  const note = 'Not deleted after service db recovered: 403 Forbidden: grant weeder delete on pods.';
  const failed = { uid: 'old', reason: 'DeletionFailed', note, at };
  const pending = { uid: 'old', reason: 'DeletionPending', note: 'Crash-looping, and not deleted yet.', at };
  const [sentence] = await explained({
    object: declaringPod('db', { ...looping, uid: 'old' }),
    events: [failed, pending],
  });
  assert.equal(sentence, `${head} ${note}`);
});
