import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import fc from 'fast-check';
import { type ContainerUse, ownPods, podFailuresOf, podsWithOldContent } from '../../src/restart/pods/ownPods.ts';
import { type PodSummary, readPod } from '../../src/restart/pods/podSummary.ts';
import { backOff, type ContainerState, type PodOptions, pod, running, terminated } from '../support/objects/objects.ts';
import { podSummary } from '../support/objects/podSummary.ts';
import { template, workloadSummary } from '../support/objects/workloadObjects.ts';

const written = Date.UTC(2026, 0, 1, 12);
const env: ContainerUse = { how: 'env', containers: ['main-0'] };
const volume: ContainerUse = { how: 'volume', containers: ['main-0'] };
const waiting = (reason: string, restarts = 0): ContainerState => ({ restarts, state: { waiting: { reason } } });
const unmounted = { conditions: [{ type: 'PodReadyToStartContainers', status: 'False' }] };
const mounted = { conditions: [{ type: 'PodReadyToStartContainers', status: 'True' }] };

/** A pod as the API serves it, created `age` ms before the write. */
function read(options: PodOptions, age = 60_000, status: object = {}): PodSummary {
  const whole = pod(options);
  const creationTimestamp = new Date(written - age).toISOString();
  const metadata = { ...whole.metadata, creationTimestamp };
  const summary = readPod({ ...whole, metadata, status: { ...whole.status, ...status } });
  assert.ok(summary);
  return summary;
}

const broken = (name: string, dependenciesHash?: string) =>
  podSummary({ name, dependenciesHash, failure: 'container main: ErrImagePull' });

const isOld = (summary: PodSummary, uses = [env], lastWrite: number | undefined = written) =>
  podsWithOldContent([summary], uses, lastWrite).length === 1;

test('a pod that was created more than 1 s after the last write has the new content, any other pod the old one', () => {
  const rows = [
    [60_000, true],
    [0, true],
    [-1000, true],
    [-1001, false],
    [-2000, false],
  ] as const;
  for (const [age, expected] of rows) assert.equal(isOld(read({}, age)), expected, `${age} ms before the write`);
});

test('if the time of the write or of the creation is unknown, the pod counts as old', () => {
  assert.equal(podsWithOldContent([read({}, -60_000)], [env], undefined).length, 1);
  assert.equal(isOld({ ...read({}, -60_000), createdAt: undefined }), true);
});

test('only pods whose containers use the source count, whatever the age of the others', () => {
  const two = { containers: [running(), { ...waiting('ContainerCreating'), name: 'other' }] };
  assert.equal(isOld(read(two), [{ how: 'env', containers: ['main-0'] }]), true);
  assert.equal(isOld(read(two), [{ how: 'env', containers: ['other'] }]), false);
  assert.equal(isOld(read(two), [{ how: 'envFrom', containers: ['other', 'main-0'] }]), true);
  assert.equal(isOld(read(two), []), false);
});

test('a container that waits for its first start reads its environment at that start', () => {
  for (const reason of ['CreateContainerConfigError', 'ContainerCreating', 'PodInitializing', 'ImagePullBackOff'])
    assert.equal(isOld(read({ phase: 'Pending', containers: [waiting(reason)] })), false, reason);
  const noStatus = read({ phase: 'Pending' }, 60_000, { containerStatuses: undefined });
  assert.equal(isOld(noStatus), false);
  const initWaits = { phase: 'Pending', initContainers: [waiting('CreateContainerConfigError')] };
  const uses: ContainerUse[] = [{ how: 'env', containers: ['init-0', 'main-0'] }];
  assert.equal(isOld(read({ ...initWaits, containers: [waiting('PodInitializing')] }), uses), false);
});

test('a container that runs, has ended, or is being restarted has read the content of that time', () => {
  const rows: ContainerState[] = [running(), terminated(written, 0, 0), backOff(0), waiting('CreateContainerError', 1)];
  for (const state of rows) assert.equal(isOld(read({ containers: [state] })), true, JSON.stringify(state));
  const again = { ...waiting('ContainerCreating'), lastState: { terminated: { exitCode: 1 } } };
  assert.equal(isOld(read({ containers: [again] })), true);
});

test('a completed init container and a sidecar have read the content of that time too', () => {
  const completed = { initContainers: [terminated(written, 0, 0)], containers: [waiting('PodInitializing')] };
  assert.equal(isOld(read(completed), [{ how: 'env', containers: ['init-0'] }]), true);
  assert.equal(isOld(read(completed), [env]), false);
  const sidecar = { initContainers: [{ ...running(), name: 'proxy' }], containers: [waiting('PodInitializing')] };
  assert.equal(isOld(read(sidecar), [{ how: 'envFrom', containers: ['proxy'] }]), true);
});

test('a volume is populated before the containers start: a pod that waits for its image has the old content', () => {
  const options = { phase: 'Pending', containers: [waiting('ContainerCreating')] };
  assert.equal(isOld(read(options, 60_000, mounted), [volume]), true);
  assert.equal(isOld(read(options, -2000, mounted), [volume]), false);
  assert.equal(isOld(read(options, 60_000, mounted), [env]), false);
});

test('if one container has started, the volumes of the others are mounted', () => {
  const containers = [waiting('ImagePullBackOff'), { ...running(), name: 'other' }];
  assert.equal(isOld(read({ containers }), [volume]), true);
  assert.equal(isOld(read({ containers }), [env]), false);
});

test('a pod whose volumes cannot be mounted yet gets their content at mount time', () => {
  const options = { phase: 'Pending', containers: [waiting('ContainerCreating')] };
  assert.equal(isOld(read(options, 60_000, unmounted), [volume]), false);
  assert.equal(isOld(read(options), [volume]), false);
});

test('running pods without an optional source lack it after it appears; pods that start later have it', () => {
  assert.equal(isOld(read({}), [{ how: 'env', containers: ['main-0'] }]), true);
  assert.equal(isOld(read({}, -5000), [{ how: 'env', containers: ['main-0'] }]), false);
});

test('a use by the whole pod counts as soon as one of its containers has started', () => {
  const uses: ContainerUse[] = [{ how: 'annotation', containers: [] }];
  assert.equal(isOld(read({}), uses), true);
  assert.equal(isOld(read({ phase: 'Pending', containers: [waiting('ImagePullBackOff')] }), uses), false);
});

test('a volume that no container mounts has no effect', () => {
  assert.equal(isOld(read({}), [{ how: 'unmounted', containers: [] }]), false);
});

test('terminating and finished pods do not count', () => {
  assert.equal(isOld(read({ deletionTimestamp: '2026-01-01T12:00:00Z' })), false);
  for (const phase of ['Succeeded', 'Failed']) assert.equal(isOld(read({ phase })), false, phase);
});

test('the pods of a StatefulSet, a DaemonSet or a Job are those whose owner it is', () => {
  const own = podSummary({ owner: { kind: 'StatefulSet', name: 'web', uid: 'u-web' } });
  const foreign = podSummary({ owner: { kind: 'StatefulSet', name: 'web', uid: 'u-before' } });
  for (const kind of ['StatefulSet', 'DaemonSet', 'Job'] as const)
    assert.deepEqual(ownPods(workloadSummary(kind), [own, foreign, podSummary({ owner: undefined })]), [own], kind);
});

test('the pods of a Deployment are those of its ReplicaSets, including an adopted one', () => {
  const owner = (name: string) => ({ kind: 'ReplicaSet', name, uid: 'u' });
  const own = podSummary();
  const adopted = podSummary({ owner: owner('old'), templateHash: undefined });
  const foreign = [
    podSummary({ owner: owner('web-canary-5d4f8') }),
    podSummary({ owner: { kind: 'Job', name: 'web-5d4f8', uid: 'u' } }),
    podSummary({ owner: undefined }),
    podSummary({ namespace: 'other' }),
    podSummary({ isEnding: true }),
  ];
  assert.deepEqual(ownPods(workloadSummary('Deployment'), [own, adopted, ...foreign]), [own, adopted]);
});

test('only the controlling owner of a pod is its owner', () => {
  assert.deepEqual(read({}).owner, { kind: 'ReplicaSet', name: 'kapi', uid: 'rs-1' });
  assert.equal(read({ isBare: true }).owner, undefined);
  const whole = pod();
  const ownerReferences = [{ kind: 'ReplicaSet', name: 'kapi', uid: 'rs-1' }];
  assert.equal(readPod({ ...whole, metadata: { ...whole.metadata, ownerReferences } })?.owner, undefined);
});

test('a pod fails because of its image, its config, or a crash loop', () => {
  for (const reason of ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'])
    assert.equal(read({ containers: [waiting(reason)] }).failure, `container main-0: ${reason}`);
  for (const reason of ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'])
    assert.equal(read({ containers: [running(), waiting(reason)] }).failure, `container main-1: ${reason}`);
  assert.equal(read({ containers: [backOff()] }).failure, 'container main-0: CrashLoopBackOff');
  const init = { initContainers: [backOff()], containers: [waiting('PodInitializing')] };
  assert.equal(read(init).failure, 'container init-0: CrashLoopBackOff');
});

test('a pod with repeated failures but without CrashLoopBackOff fails; one with a first exit or a completed container does not', () => {
  const failure = (state: ContainerState) => read({ containers: [running(), state] }).failure;
  assert.equal(failure(terminated(written, 2, 137)), 'container main-1: ended repeatedly with exit code 137');
  assert.equal(failure(terminated(written, 0, 1)), undefined);
  assert.equal(failure(terminated(written, 2, 0)), undefined);
});

test('a pod that starts, runs, has recovered, or is terminating does not fail', () => {
  for (const reason of ['ContainerCreating', 'PodInitializing'])
    assert.equal(read({ containers: [waiting(reason)] }).failure, undefined, reason);
  assert.equal(read({ containers: [running(7)] }).failure, undefined);
  assert.equal(read({ containers: [backOff()], deletionTimestamp: '2026-01-01T12:00:00Z' }).failure, undefined);
  assert.equal(read({ containers: [backOff()], phase: 'Failed' }).failure, undefined);
});

test('the failures of a rollout name at most three pods', () => {
  const summary = workloadSummary('Deployment');
  assert.equal(podFailuresOf(summary, [podSummary(), broken('web-1')]), 'pod web-1, container main: ErrImagePull');
  assert.equal(
    podFailuresOf(
      summary,
      ['a', 'b', 'c', 'd'].map((name) => broken(name)),
    )?.split('; ').length,
    3,
  );
  assert.equal(podFailuresOf(summary, [podSummary(), { ...broken('web-1'), isEnding: true }]), undefined);
  assert.equal(podFailuresOf(summary, []), undefined);
});

test('earlier pods do not count as failures of a rollout, except for a StatefulSet', () => {
  const restarted = { ...template, metadata: { annotations: { 'weeder.dev/dependencies-hash': 'h-2' } } };
  const pods = [broken('web-1'), broken('web-2', 'h-1'), podSummary({ name: 'web-3', dependenciesHash: 'h-2' })];
  const failure = (kind: WorkloadKind, more: PodSummary[] = []) =>
    podFailuresOf(workloadSummary(kind, { template: restarted }), [...pods, ...more]);
  assert.equal(failure('Deployment'), undefined);
  assert.equal(failure('DaemonSet'), undefined);
  assert.equal(failure('Deployment', [broken('web-4', 'h-2')]), 'pod web-4, container main: ErrImagePull');
  assert.equal(failure('StatefulSet')?.split('; ').length, 2);
});

test('a pod carries the hash of the restart that created it', () => {
  assert.equal(read({ annotations: { 'weeder.dev/dependencies-hash': 'h-1' } }).dependenciesHash, 'h-1');
  assert.equal(read({}).dependenciesHash, undefined);
});

test('any value in place of a pod or of its status is read or not, and nothing throws', () => {
  fc.assert(fc.property(fc.anything(), (garbage) => void readPod(garbage)));
  fc.assert(
    fc.property(fc.object(), (status) => {
      const summary = read({}, 0, status);
      assert.ok(podsWithOldContent([summary], [env, volume], written).length <= 1);
    }),
  );
  assert.equal(readPod({ metadata: { name: 'web-0', namespace: 'shop' } }), undefined);
});
