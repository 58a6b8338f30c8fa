import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import fc from 'fast-check';
import { kinds as descriptors } from '../../../src/restart/kinds/kinds.ts';
import { podTemplateOf } from '../../../src/restart/references/podTemplate.ts';
import { readWorkload, workloadAnnotations } from '../../../src/restart/references/workloadSummary.ts';
import {
  template,
  type WorkloadOptions,
  workloadObject,
  workloadSummary,
} from '../../support/objects/workloadObjects.ts';

const kinds: WorkloadKind[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job'];
const annotated = (annotations: object) => workloadSummary('Deployment', { annotations });
const hashWith = (options: WorkloadOptions) => workloadSummary('Deployment', options).templateHash;
const withAnnotations = (annotations: object) => ({ ...template, metadata: { ...template.metadata, annotations } });

test('the summary of a workload has its identity, its annotations, and the progress of its pods', () => {
  const annotations = { [workloadAnnotations.state]: '{"v":1}', [workloadAnnotations.changeCause]: 'a release' };
  const summary = workloadSummary('Deployment', {
    annotations,
    spec: { revisionHistoryLimit: 5, paused: true },
    status: { observedGeneration: 2, replicas: 4, updatedReplicas: 1, availableReplicas: 3 },
  });
  assert.partialDeepStrictEqual(summary, {
    ref: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    uid: 'u-web',
    resourceVersion: '7',
    generation: 2,
    labels: { tier: 'front' },
    stateText: '{"v":1}',
    changeCause: 'a release',
    selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    isPaused: true,
    updateStrategy: 'rolling',
    replicas: 3,
    revisionHistoryLimit: 5,
    isEnding: false,
    status: { observedGeneration: 2, pods: 4, updated: 1, available: 3, isOverdue: false },
  });
  assert.ok(workloadSummary('Deployment', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }).isEnding);
});

test('the summary is small, however long the pod template and other annotations are', () => {
  const long = 'x'.repeat(50_000);
  const containers = [{ name: 'main', image: 'i', command: [long] }];
  const summary = workloadSummary('StatefulSet', {
    template: { ...template, spec: { containers } },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': long },
  });
  assert.ok(JSON.stringify(summary).length < 1500);
});

test('the template of a CronJob is that of its Jobs; other kinds have their own', () => {
  for (const kind of kinds) assert.deepEqual(podTemplateOf(workloadObject(kind), descriptors[kind]), template, kind);
  assert.deepEqual(podTemplateOf(workloadObject('CronJob'), descriptors.Deployment), {});
});

test('any difference in a template changes its hash', () => {
  const before = hashWith({});
  const others = [
    { ...template, spec: { containers: [{ ...template.spec.containers[0], image: 'registry.invalid/web:2' }] } },
    { ...template, spec: { ...template.spec, priority: 0 } },
    withAnnotations({ team: 'red' }),
    withAnnotations({ team: 'blue', 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' }),
  ];
  const hashes = new Set([before, ...others.map((each) => hashWith({ template: each }))]);
  assert.equal(hashes.size, others.length + 1);
});

test('weeder’s annotation and the way the template is written do not change its hash', () => {
  const before = hashWith({});
  const ours = { 'weeder.dev/dependencies-hash': 'h-1' };
  const restarted = workloadSummary('Deployment', { template: withAnnotations({ team: 'blue', ...ours }) });
  assert.equal(restarted.templateHash, before);
  assert.equal(restarted.templateAnnotation, 'h-1');
  const { metadata, spec } = template;
  const rewritten = { spec: { ...spec, hostname: null }, metadata: { creationTimestamp: null, ...metadata } };
  assert.equal(hashWith({ template: rewritten }), before);
  const bare = { ...template, metadata: { labels: { app: 'web' } } };
  assert.equal(hashWith({ template: withAnnotations(ours) }), hashWith({ template: bare }));
});

test('a new generation does not change the template hash', () => {
  const before = workloadSummary('Deployment');
  const touched = workloadSummary('Deployment', { metadata: { generation: 3 }, annotations: { note: 'x' } });
  assert.notEqual(touched.generation, before.generation);
  assert.equal(touched.templateHash, before.templateHash);
  const scaled = workloadSummary('StatefulSet', { metadata: { generation: 3 }, spec: { replicas: 9 } });
  assert.equal(scaled.templateHash, workloadSummary('StatefulSet').templateHash);
});

test('restart-on-change is true or false, and any other value counts as neither', () => {
  const optedIn = (text: unknown) => annotated({ 'weeder.dev/restart-on-change': text }).isOptedIn;
  assert.equal(optedIn('true'), true);
  assert.equal(optedIn('false'), false);
  for (const text of [undefined, '', 'True', 'yes', true, 1]) assert.equal(optedIn(text), undefined, String(text));
  const mapping = annotated({ 'weeder.dev/restart-on-change': { a: 1 } });
  assert.doesNotMatch(JSON.stringify(mapping), /\[object/);
});

test('a pause is a time with a zone, and an invalid one is not ignored', () => {
  const pausedUntil = (text: unknown) => annotated({ 'weeder.dev/paused-until': text }).pausedUntil;
  assert.equal(pausedUntil('2026-11-21T18:00:00Z'), Date.UTC(2026, 10, 21, 18));
  assert.equal(pausedUntil('2026-11-21T18:00:00.500+02:00'), Date.UTC(2026, 10, 21, 16) + 500);
  assert.equal(annotated({}).pausedUntil, undefined);
  for (const text of ['', 'tomorrow', '2026', '2026-11-21', '2026-11-21T18:00:00', '2026-02-30T18:00:00Z', 5])
    assert.equal(pausedUntil(text), 'unreadable', String(text));
});

test('the update strategy, by kind', () => {
  const strategy = (kind: WorkloadKind, spec: object) => workloadSummary(kind, { spec }).updateStrategy;
  const partitioned = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
  assert.equal(strategy('Deployment', { strategy: { type: 'RollingUpdate' } }), 'rolling');
  assert.equal(strategy('Deployment', { strategy: { type: 'Recreate' } }), 'recreate');
  assert.deepEqual(strategy('StatefulSet', { updateStrategy: partitioned }), { partition: 2 });
  assert.equal(strategy('StatefulSet', { updateStrategy: { rollingUpdate: { partition: 0 } } }), 'rolling');
  assert.equal(strategy('StatefulSet', { updateStrategy: { type: 'OnDelete' } }), 'onDelete');
  assert.equal(strategy('DaemonSet', { updateStrategy: { type: 'OnDelete' } }), 'onDelete');
  assert.equal(strategy('DaemonSet', { updateStrategy: { type: 'RollingUpdate' } }), 'rolling');
});

test('the number of replicas: from the spec, for a DaemonSet from its nodes, and none for a CronJob', () => {
  assert.equal(workloadSummary('StatefulSet', { spec: { replicas: 0 } }).replicas, 0);
  assert.equal(workloadSummary('Deployment', { spec: { replicas: undefined } }).replicas, 1);
  assert.equal(workloadSummary('DaemonSet', { status: { desiredNumberScheduled: 5 } }).replicas, 5);
  assert.equal(workloadSummary('Job').replicas, 3);
  assert.equal(workloadSummary('CronJob').replicas, 0);
});

test('only a Deployment can be paused; a suspended Job or CronJob is not', () => {
  const spec = { paused: true, suspend: true };
  assert.deepEqual(
    kinds.filter((kind) => workloadSummary(kind, { spec }).isPaused),
    ['Deployment'],
  );
});

test('a workload without a valid selector is not read', () => {
  const matchExpressions = [
    { key: 'app', operator: 'In', values: ['web'] },
    { key: 'canary', operator: 'DoesNotExist' },
  ];
  const selected = workloadSummary('DaemonSet', { spec: { selector: { matchExpressions } } });
  assert.deepEqual(selected.selector?.matchExpressions, matchExpressions);
  for (const selector of [undefined, null, 'app=web', { matchExpressions: [{ key: 'app', operator: 'Near' }] }])
    assert.equal(readWorkload(workloadObject('Deployment', { spec: { selector } }), 'Deployment'), undefined);
  assert.equal(workloadSummary('CronJob').selector, undefined);
  assert.equal(readWorkload(workloadObject('Job', { metadata: { uid: '' } }), 'Job'), undefined);
});

test('any value in place of a workload or a part of it is read or not, and nothing throws', () => {
  const kind = fc.constantFrom(...kinds);
  const part = fc.constantFrom('metadata', 'annotations', 'spec', 'template', 'status');
  fc.assert(fc.property(kind, fc.anything(), (each, garbage) => void readWorkload(garbage, each)));
  fc.assert(
    fc.property(kind, part, fc.object(), (kind, name, garbage) => {
      readWorkload(workloadObject(kind, { [name]: garbage }), kind);
    }),
  );
});
