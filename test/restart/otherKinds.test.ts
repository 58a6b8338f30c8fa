import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OtherKind } from '../../src/config/restart.ts';
import { keptPods, podsToReplace } from '../../src/restart/content/affectedPods.ts';
import { hasEndedRestart, isRequested, restartTimeOf } from '../../src/restart/patches/restartTime.ts';
import { restartPatch } from '../../src/restart/patches/workloadPatch.ts';
import { ownPods } from '../../src/restart/pods/ownPods.ts';
import { rolloutOf } from '../../src/restart/pods/rollout.ts';
import { createWorkloadReducer } from '../../src/restart/recording/reduceWorkload.ts';
import { workloadKey, workloadPath } from '../../src/restart/references/refs.ts';
import { readWorkload, type WorkloadSummary } from '../../src/restart/references/workloadSummary.ts';
import { podSummary } from '../support/objects/podSummary.ts';
import { template } from '../support/objects/workloadObjects.ts';

const decided = Date.UTC(2026, 0, 1, 12, 0, 0, 400);
const restartAt = '2026-01-01T12:00:03Z';
const request = { hash: 'h-2', since: decided };

const rollout = { name: 'Rollout.argoproj.io' };
const cloneSet = { name: 'CloneSet.apps.kruise.io' };
const full = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };

interface Parts {
  readonly spec?: object;
  readonly status?: object;
}

function objectOfKind({ name }: OtherKind, { spec = {}, status = {} }: Parts) {
  const [kind = '', ...group] = name.split('.');
  const metadata = { name: 'web', namespace: 'shop', uid: 'u-web', resourceVersion: '7', generation: 2 };
  const selector = { matchLabels: { app: 'web' } };
  return {
    ...{ apiVersion: `${group.join('.')}/v1`, kind, metadata },
    spec: { replicas: 3, selector, template, ...spec },
    status: { observedGeneration: 2, ...full, ...status },
  };
}

function summaryOf(kind: OtherKind, parts: Parts = {}): WorkloadSummary {
  const summary = readWorkload(objectOfKind(kind, parts), kind.name, [kind]);
  assert(summary);
  return summary;
}

test('a kind of another group is named with it, and read only if the config names it', () => {
  const { ref } = summaryOf(rollout);
  assert.deepEqual(ref, { kind: rollout.name, namespace: 'shop', name: 'web', apiVersion: 'argoproj.io/v1' });
  assert.equal(workloadKey(ref), 'rollout.argoproj.io/shop/web');
  assert.equal(workloadPath(ref), '/apis/argoproj.io/*/namespaces/shop/Rollout/web');
  assert.equal(readWorkload(objectOfKind(rollout, {}), rollout.name, [cloneSet]), undefined);
});

test('a Rollout is restarted by a time after every pod that counts as old, and not by its template', () => {
  assert.equal(restartTimeOf(decided), restartAt);
  assert.deepEqual(restartPatch(summaryOf(rollout), 's', request, 'c'), {
    metadata: { resourceVersion: '7', annotations: { 'weeder.dev/dependencies': 's' } },
    spec: { restartAt },
  });
});

test('with restartBy: template a Rollout gets a new template, and with time any kind its fields', () => {
  const byTemplate = restartPatch(summaryOf({ ...rollout, restartBy: 'template' }), 's', request, 'c');
  assert.deepEqual(byTemplate['spec'], {
    template: { metadata: { annotations: { 'weeder.dev/dependencies-hash': 'h-2' } } },
  });
  const other = { name: 'Server.example.org', restartBy: 'time', restartField: 'spec.ops.at' } as const;
  assert.deepEqual(restartPatch(summaryOf(other), 's', request, 'c')['spec'], { ops: { at: restartAt } });
  const placed = { name: 'Server.example.org', templatePath: 'spec.pods.template' };
  const at = restartPatch(summaryOf(placed), 's', request, 'c')['spec'];
  assert.deepEqual(at, {
    pods: { template: { metadata: { annotations: { 'weeder.dev/dependencies-hash': 'h-2' } } } },
  });
});

test('a restart by time is requested until another client sets an earlier time', () => {
  const requestedWith = (time?: string) => isRequested(summaryOf(rollout, { spec: { restartAt: time } }), request);
  assert.deepEqual([requestedWith(restartAt), requestedWith('2026-01-01T12:00:04Z')], [true, true]);
  assert.deepEqual([requestedWith(), requestedWith('2026-01-01T12:00:02Z')], [false, false]);
});

test('a restart by time has ended when its controller repeats the time, also in the middle of a release', () => {
  const release = { updatedReplicas: 1, restartedAt: restartAt };
  const ended = (status: object) => {
    const summary = summaryOf(rollout, { spec: { restartAt }, status });
    return [hasEndedRestart(summary, request), rolloutOf(summary).type];
  };
  assert.deepEqual(ended(release), [true, 'progressing']);
  assert.deepEqual(ended({ restartedAt: restartAt }), [true, 'complete']);
  assert.deepEqual(ended({}), [false, 'progressing']);
  assert.deepEqual(ended({ restartedAt: '2026-01-01T11:00:00Z' }), [false, 'progressing']);
  assert.deepEqual(ended({ restartedAt: restartAt, availableReplicas: 2 }), [false, 'progressing']);
});

test('the generation that Argo has observed is a text, and was a hash', () => {
  const observed = (observedGeneration: unknown) =>
    rolloutOf(summaryOf(rollout, { status: { observedGeneration } })).type;
  assert.deepEqual(['2', '1', '68b8d5d5b', undefined].map(observed), [
    'complete',
    'unobserved',
    'complete',
    'unobserved',
  ]);
});

test('the pods of a Rollout are those of its ReplicaSets, and no Deployment of its name owns them', () => {
  const owner = { kind: 'ReplicaSet', name: 'web-7c9', uid: 'u-rs' };
  const pod = podSummary({ owner, templateHash: undefined, rolloutHash: '7c9' });
  const other = podSummary({ ...pod, rolloutHash: '7c8' });
  assert.deepEqual(ownPods(summaryOf(rollout), [pod, other, podSummary()]), [pod]);
  const deployment = readWorkload(objectOfKind({ name: 'Deployment.apps' }, {}), 'Deployment');
  assert(deployment);
  assert.deepEqual(ownPods(deployment, [pod, podSummary()]), [podSummary()]);
});

test('a CloneSet keeps as many pods as its partition says, by number or percentage', () => {
  const keptOf = (partition: unknown) => keptPods(summaryOf(cloneSet, { spec: { updateStrategy: { partition } } }));
  assert.deepEqual([undefined, 0, 2, 5, '34%', '99%', '100%'].map(keptOf), [0, 0, 2, 3, 2, 2, 3]);
  const parted = { spec: { updateStrategy: { partition: 1 } } };
  const progress = (updatedReplicas: number) =>
    rolloutOf(summaryOf(cloneSet, { ...parted, status: { updatedReplicas } })).type;
  assert.deepEqual([progress(1), progress(2)], ['progressing', 'complete']);
  // The last part of its pods' names is no ordinal.
  const pod = podSummary({ name: 'web-0', owner: { kind: 'CloneSet', name: 'web', uid: 'u-web' } });
  const source = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
  const use = { source, key: undefined, isOptional: false, how: 'env', containers: [] } as const;
  const uses = [{ source: { uses: [use] }, lastWrite: Date.UTC(2027) }] as const;
  assert.equal(podsToReplace(summaryOf(cloneSet, parted), [pod], uses).length, 1);
});

test('a CloneSet is paused by its strategy, and an update in place replaces no pod', () => {
  const paused = summaryOf(cloneSet, { spec: { updateStrategy: { paused: true } } });
  assert.deepEqual([paused.isPaused, summaryOf(cloneSet, { spec: { paused: true } }).isPaused], [true, false]);
  const strategy = (type: string) => summaryOf(cloneSet, { spec: { updateStrategy: { type } } }).updateStrategy;
  assert.deepEqual(['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'].map(strategy), ['rolling', 'inPlace', 'inPlace']);
});

test('a CloneSet with volumes of its own is never emptied', () => {
  const losing = summaryOf(cloneSet, { spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } });
  assert.deepEqual([losing.losesVolumes, summaryOf(cloneSet).losesVolumes], [true, false]);
});

test('a recording has all that decides about workloads of these kinds, and nothing else of their templates', () => {
  const server = { name: 'Server.example.org', templatePath: 'spec.pods.template', restartBy: 'time' } as const;
  const others = [rollout, cloneSet, server];
  const reduce = createWorkloadReducer(Buffer.from('k'), () => others);
  const parts = {
    spec: {
      restartAt,
      pods: { template },
      updateStrategy: { type: 'ReCreate', partition: 1, paused: true },
      volumeClaimTemplates: [{ metadata: { name: 'secret-name' } }],
    },
    status: { restartedAt: restartAt },
  };
  for (const kind of others) {
    const reduced = reduce(objectOfKind(kind, parts), kind.name);
    assert.doesNotMatch(JSON.stringify(reduced), /registry|secret-name/);
    const whole = summaryOf(kind, parts);
    const read = readWorkload(reduced, kind.name, others);
    const { templateHash } = read ?? {};
    assert.deepEqual(read, { ...whole, kind: read?.kind, templateHash });
  }
});
