import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import type { ObjectSink, StreamNeed } from '@weeder/kube-runtime/watch';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { explainUnmanaged } from '../../../src/explain/explainUnmanaged.ts';
import { kindNamed } from '../../../src/restart/kinds/kinds.ts';
import { createWorkloadReducer } from '../../../src/restart/recording/reduceWorkload.ts';
import { workloadKey } from '../../../src/restart/references/refs.ts';
import { createRestartCore } from '../../../src/restart/restartCore.ts';
import type { ReadStream } from '../../../src/restart/sources/restartStreamPlan.ts';
import { createSharedTemplates, longestHold } from '../../../src/restart/workload/sharedTemplates.ts';
import { readUpdate, type WorkloadUpdate } from '../../../src/restart/workload/workloadSinks.ts';
import { restartConfig, settings } from '../../support/objects/restartSettings.ts';
import { configMap, createRestartWorld, namespace, stateOn, withEnv } from '../../support/world/restartWorld.ts';

const kind = 'Rollout.argoproj.io';
const workloadKinds = [{ name: kind }];
const both = restartConfig({ workloadKinds });
const ofDeployments = { ...settings, namespaces: 'all', kinds: new Set(['Deployment']), selector: undefined } as const;
const deploymentsOnly = restartConfig({ workloadKinds, rules: [ofDeployments] });

function templateUsing(configMap: string, more: object = {}) {
  const containers = [{ name: 'main', image: 'web:1', envFrom: [{ configMapRef: { name: configMap } }] }];
  return { metadata: { labels: { app: 'web' } }, spec: { containers, ...more } };
}

function metadataOf(name: string, annotations: object = {}) {
  return { name, namespace: 'shop', uid: `u-${name}`, resourceVersion: '7', generation: 1, annotations };
}

function deployment(configMap = 'settings', template = templateUsing(configMap)) {
  const selector = { matchLabels: { app: 'web' } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadataOf('web'), spec: { selector, template } };
}

function rollout(reference: object = { kind: 'Deployment', name: 'web' }, annotations: object = {}) {
  const workloadRef = { apiVersion: 'apps/v1', ...reference };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: metadataOf('front', annotations),
    spec: { workloadRef },
  };
}

function updateOf(object: { readonly kind: string }, others: Parameters<typeof readUpdate>[2] = workloadKinds) {
  const update = readUpdate(object, object.kind === 'Rollout' ? kind : object.kind, others);
  assert(update);
  return update;
}

/** What is known behind the join, and which streams were passed on as read. */
function scene(initial: RestartConfig = both, isContinued = false) {
  let config = initial;
  const known = new Map<string, WorkloadUpdate>();
  const read: ReadStream[] = [];
  const hasRead = new Set(['Deployment']);
  const templates = createSharedTemplates({
    config: () => config,
    hasReadWorkload: (workload) => hasRead.has(workload.kind),
    isContinued,
    receiver: {
      take: (update) => void known.set(workloadKey(update.summary.ref), update),
      remove: (id) => void known.delete(id),
      streamRead: (stream) => void read.push(stream),
    },
  });
  const usesOf = (id: string) => known.get(id)?.uses.map(({ source }) => source.name);
  return {
    ...{ templates, known, read, hasRead, usesOf },
    placeOf: (id: string) => known.get(id)?.summary.templateFor?.name,
    configure(next: RestartConfig) {
      config = next;
      templates.configChanged();
    },
  };
}

const ofDeployment = 'deployment/shop/web';
const ofRollout = 'rollout.argoproj.io/shop/front';

test('a Rollout has the template of its Deployment, whichever of the two comes first', () => {
  for (const objects of [
    [deployment(), rollout()],
    [rollout(), deployment()],
  ]) {
    const { templates, known, usesOf, placeOf } = scene();
    for (const object of objects) templates.take(updateOf(object));
    const { selector, templateHash } = updateOf(deployment()).summary;
    const found = known.get(ofRollout)?.summary;
    assert.deepEqual([found?.selector, found?.templateHash, usesOf(ofRollout)], [selector, templateHash, ['settings']]);
    assert.equal(placeOf(ofDeployment), 'front');
  }
});

test('a Rollout without its Deployment is not known, nor one that names another kind', () => {
  const { templates, known } = scene();
  templates.take(updateOf(rollout()));
  assert.deepEqual([...known.keys()], []);
  templates.take(updateOf(rollout({ kind: 'ReplicaSet', name: 'web' })));
  templates.take(updateOf(deployment()));
  assert.deepEqual([...known.keys()], [ofDeployment]);
  templates.take(updateOf(rollout()));
  templates.remove(ofDeployment);
  assert.deepEqual([...known.keys()], []);
});

test('a change of the template of the Deployment reaches the Rollout', () => {
  const { templates, usesOf } = scene();
  for (const object of [rollout(), deployment(), deployment('other')]) templates.take(updateOf(object));
  assert.deepEqual(usesOf(ofRollout), ['other']);
});

test('the Deployment is managed again when the Rollout is deleted, or names another one', () => {
  const { templates, placeOf } = scene();
  for (const object of [deployment(), rollout()]) templates.take(updateOf(object));
  templates.take(updateOf(rollout({ kind: 'Deployment', name: 'api' })));
  assert.equal(placeOf(ofDeployment), undefined);
  templates.take(updateOf(rollout()));
  assert.equal(placeOf(ofDeployment), 'front');
  templates.remove(ofRollout);
  assert.equal(placeOf(ofDeployment), undefined);
});

test('the Deployment of a Rollout that is not managed is', () => {
  const byRules = scene(deploymentsOnly);
  for (const object of [deployment(), rollout()]) byRules.templates.take(updateOf(object));
  assert.equal(byRules.placeOf(ofDeployment), undefined);
  byRules.configure(both);
  assert.equal(byRules.placeOf(ofDeployment), 'front');
  byRules.configure(deploymentsOnly);
  assert.equal(byRules.placeOf(ofDeployment), undefined);
  const optedOut = rollout(undefined, { 'weeder.dev/restart-on-change': 'false' });
  const byAnnotation = scene();
  for (const object of [deployment(), optedOut]) byAnnotation.templates.take(updateOf(object));
  assert.equal(byAnnotation.placeOf(ofDeployment), undefined);
});

test('with restartBy: template the Deployment is restarted, and the Rollout is not managed', () => {
  const byTemplate = { name: kind, restartBy: 'template' } as const;
  assert.equal(readUpdate(rollout(), kind, [byTemplate]), undefined);
  assert.equal(kindNamed(kind, [byTemplate])?.templateReference, undefined);
});

test('Deployments wait at the start for the Rollouts, unless these are not served', () => {
  const clock = virtualClock();
  const { templates, read, hasRead } = scene();
  const [web, db] = [updateOf(deployment()).summary.ref, { kind: 'StatefulSet', namespace: 'shop', name: 'db' }];
  templates.start(clock);
  assert.deepEqual([templates.isHeld(web), templates.isHeld(db)], [true, false]);
  clock.advance(longestHold);
  assert.equal(templates.isHeld(web), false);
  assert.deepEqual(read, [{ kind: 'Deployment', namespace: undefined, objectName: undefined }]);

  const other = scene();
  other.templates.start(clock);
  assert.equal(other.templates.isHeld(web), true);
  other.hasRead.add(kind);
  other.templates.streamRead({ kind, namespace: 'shop', objectName: undefined });
  assert.equal(other.templates.isHeld(web), false);
  assert.deepEqual(
    other.read.map((stream) => stream.kind),
    [kind, 'Deployment'],
  );
  assert.equal(hasRead.has(kind), false);
});

/** A weeder that starts with a Deployment, and whose stream of Rollouts is the test's. */
async function startingWorld() {
  const sinks: ObjectSink[] = [];
  const isOfRollouts = (need: StreamNeed) => need.kind === 'Rollout';
  const world = createRestartWorld(both, {
    createRestart(options) {
      const core = createRestartCore(options);
      for (const need of core.needs.values()) if (isOfRollouts(need)) sinks.push(need.sink);
      return { ...core, needs: new Map([...core.needs].filter(([, need]) => !isOfRollouts(need))) };
    },
  });
  world.putSource(configMap('settings'), { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.restart();
  const [sink] = sinks;
  assert(sink);
  return { world, sink, states: () => world.control.counts().states };
}

test('if the API server serves no Rollouts, Deployments are managed after that wait', async () => {
  const { world, states } = await startingWorld();
  await world.pass(longestHold - 2);
  assert.deepEqual(states(), {});
  await world.pass(longestHold);
  assert.deepEqual(states(), { current: 1 });
});

test('when the Rollouts have been read, Deployments are managed at once, except for those that they name', async () => {
  for (const [name, count] of [
    ['other', 1],
    ['web', 0],
  ] as const) {
    const { world, sink, states } = await startingWorld();
    sink.begin();
    sink.apply('ADDED', { ...rollout({ kind: 'Deployment', name }), metadata: { ...metadataOf('front'), namespace } });
    sink.end();
    await world.pass(longestHold / 2);
    const named = stateOn(world.workload('web'));
    assert.deepEqual([named !== undefined, world.rollouts], [count === 1, []]);
    assert.equal(Object.values(states()).length, 1);
  }
});

test('without kinds that may name a Deployment, none waits, nor in a replay that begins in the middle', () => {
  const { ref } = updateOf(deployment()).summary;
  for (const { templates, read } of [scene(restartConfig()), scene(both, true)]) {
    const clock = virtualClock();
    templates.start(clock);
    assert.equal(templates.isHeld(ref), false);
    clock.advance(longestHold);
    assert.deepEqual(read, []);
  }
});

test('explain says which of the two is restarted, and what is missing', () => {
  const { templates, known } = scene();
  for (const object of [deployment(), rollout()]) templates.take(updateOf(object));
  const lineOf = (update: WorkloadUpdate | undefined) => {
    assert(update);
    return explainUnmanaged(update.summary, true, 'all').state;
  };
  assert.match(
    lineOf(known.get(ofDeployment)),
    / it has the template of Rollout\.argoproj\.io shop\/front, which is restarted in its place\.$/,
  );
  assert.match(lineOf(updateOf(rollout())), /its template is that of Deployment shop\/web, which does not exist\.$/);
  assert.match(
    lineOf(updateOf(rollout({ kind: 'PodTemplate', name: 'web' }))),
    /its template is that of PodTemplate shop\/web, which is no Deployment\.$/,
  );
});

test('a recording has the name of the Deployment, and nothing else of the reference', () => {
  const reduced = createWorkloadReducer(Buffer.from('k'), () => workloadKinds)(
    rollout({ kind: 'Deployment', name: 'web', scaleDown: 'never' }),
    kind,
  );
  assert.deepEqual(readUpdate(reduced, kind, workloadKinds)?.summary.templateFrom, {
    ...{ kind: 'Deployment', namespace: 'shop', name: 'web' },
  });
  assert.doesNotMatch(JSON.stringify(reduced), /scaleDown/);
});
