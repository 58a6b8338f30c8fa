import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns, virtualClock } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { crashLooping, isSameBackOff, unreportedSince } from '../../../src/weeder/pods/crashLooping.ts';
import { terminationMessage } from '../../../src/weeder/pods/lastRun.ts';
import {
  backOff,
  type ContainerState,
  type PodOptions,
  pod,
  running,
  terminated,
} from '../../support/objects/objects.ts';

const ended = Date.UTC(2026, 0, 1);
const waiting = (reason: string): ContainerState => ({ state: { waiting: { reason } } });
const initializing = [waiting('PodInitializing')];
const sidecar = { restartPolicy: 'Always' };
const unreported = (restarts = 1, exitCode = 1, spec: object = {}) => ({
  ...terminated(ended, restarts, exitCode),
  spec,
});

const causeOf = (options: PodOptions) => crashLooping(pod(options))?.cause;

test('CrashLoopBackOff counts in a container, an init container and a sidecar, and is described', () => {
  const message = 'back-off 40s restarting failed container=main-0';
  const loopingPod = crashLooping(pod({ uid: 'u', containers: [running(), { ...backOff(5, message), name: 'web' }] }));
  assert.partialDeepStrictEqual(loopingPod, {
    uid: 'u',
    namespace: 'shoot-1',
    name: 'kapi-0',
    container: 'web',
    containerKind: 'container',
    cause: 'CrashLoopBackOff',
    restarts: 5,
    message,
    protection: 'none',
  });
  const init = crashLooping(pod({ phase: 'Pending', initContainers: [backOff()], containers: initializing }));
  assert.equal(init?.containerKind, 'initContainer');
  const side = crashLooping(pod({ initContainers: [{ ...backOff(), spec: sidecar }] }));
  assert.equal(side?.containerKind, 'sidecar');
});

test('a pod without namespace, name, uid or resourceVersion is not crash-looping, because the path for its deletion would be that of all pods', () => {
  const whole = pod({ containers: [backOff()] });
  assert.notEqual(crashLooping(whole), undefined);
  for (const part of ['namespace', 'name', 'uid', 'resourceVersion']) {
    for (const value of [undefined, '', 5, null]) {
      const loopingPod = crashLooping({ ...whole, metadata: { ...whole.metadata, [part]: value } });
      assert.equal(loopingPod, undefined, `${part} ${value}`);
    }
  }
});

test('CrashLoopBackOff counts whatever the restart count is', () => {
  assert.equal(causeOf({ containers: [backOff(0)] }), 'CrashLoopBackOff');
});

test('other waiting reasons are not a crash loop', () => {
  for (const reason of ['ContainerCreating', 'ImagePullBackOff', 'ErrImagePull', 'CreateContainerConfigError']) {
    assert.equal(causeOf({ containers: [waiting(reason)] }), undefined);
  }
  assert.equal(causeOf({ containers: [running(9)] }), undefined);
  assert.equal(causeOf({ containers: [] }), undefined);
});

test('a container that terminated after at least one restart is in unreported back-off; after the first exit it is not', () => {
  assert.equal(causeOf({ containers: [unreported(1)] }), 'unreported');
  assert.equal(causeOf({ containers: [unreported(0)] }), undefined);
  assert.equal(crashLooping(pod({ containers: [unreported(1)] }))?.finishedAt, ended);
});

const failedStart = (reason: string, restarts = 1, exitCode = 128): ContainerState => ({
  state: { waiting: { reason, message: 'failed to create containerd task' } },
  lastState: { terminated: { exitCode, finishedAt: new Date(ended).toISOString() } },
  restarts,
});

test('a failed start is in unreported back-off like an exit, other waiting reasons are not', () => {
  for (const reason of ['RunContainerError', 'PostStartHookError']) {
    const loopingPod = crashLooping(pod({ containers: [failedStart(reason, 3)] }));
    assert.partialDeepStrictEqual(loopingPod, { cause: 'unreported', restarts: 3, finishedAt: ended });
    assert.equal(causeOf({ containers: [failedStart(reason, 0)] }), undefined, 'the first attempt');
    assert.equal(causeOf({ containers: [waiting(reason)] }), undefined, 'nothing has ended');
    assert.equal(causeOf({ restartPolicy: 'Never', containers: [failedStart(reason), running()] }), undefined);
    assert.equal(causeOf({ restartPolicy: 'OnFailure', containers: [failedStart(reason)] }), 'unreported');
  }
  for (const reason of ['ContainerCreating', 'CreateContainerConfigError', 'ImagePullBackOff']) {
    assert.equal(causeOf({ containers: [failedStart(reason, 3)] }), undefined, reason);
  }
});

test('the last run is described, from the state or from the one before', () => {
  const [startedAt, finishedAt] = [ended - 5_000, ended].map((time) => new Date(time).toISOString());
  const end = { exitCode: 137, signal: 9, reason: 'OOMKilled', startedAt, finishedAt, message: ' too large\n' };
  const expected = { exitCode: 137, signal: 9, reason: 'OOMKilled', startedAt: ended - 5_000, message: 'too large' };
  const runOf = (container: ContainerState) => crashLooping(pod({ containers: [container] }))?.lastRun;
  assert.deepEqual(runOf({ restarts: 1, state: { terminated: end } }), expected);
  assert.deepEqual(runOf({ ...backOff(), lastState: { terminated: end } }), expected);
  assert.deepEqual(runOf({ restarts: 1, state: { terminated: end }, lastState: { terminated: {} } }), expected);
  assert.deepEqual(runOf({ ...failedStart('RunContainerError'), lastState: { terminated: end } }), expected);
  assert.equal(runOf(backOff()), undefined);
  assert.equal(runOf({ ...backOff(), lastState: { terminated: { exitCode: 'one' } } }), undefined);
});

test('of a termination message the beginning is kept, on one line and without control characters', () => {
  assert.equal(terminationMessage('line 1\nline 2\u001b[2J\n'), 'line 1\\u000aline 2\\u001b[2J');
  assert.equal(terminationMessage('a'.repeat(256)), 'a'.repeat(256));
  assert.equal(terminationMessage('a'.repeat(4096)), `${'a'.repeat(253)}…`);
  assert.equal(terminationMessage('🌱'.repeat(100)), `${'🌱'.repeat(63)}…`);
  for (const nothing of ['', ' \n', undefined, 5]) assert.equal(terminationMessage(nothing), undefined);
});

test('the kubelet’s last wait is the time between the two last runs', () => {
  const run = (from: number, to: number) => ({
    terminated: { exitCode: 1, startedAt: new Date(from).toISOString(), finishedAt: new Date(to).toISOString() },
  });
  const waited = (container: ContainerState) => crashLooping(pod({ containers: [container] }))?.waited;
  const older = run(ended - 60_000, ended - 40_000);
  assert.equal(waited({ restarts: 2, state: run(ended - 20_000, ended), lastState: older }), 20_000);
  assert.equal(waited({ restarts: 2, state: run(ended - 20_000, ended) }), undefined);
  assert.equal(waited({ ...backOff(), lastState: older }), undefined);
  assert.equal(waited(failedStart('RunContainerError')), undefined);
});

test('the restart policy of the pod decides whether an ended container is restarted', () => {
  const rows = [
    ['Always', 0, 'unreported'],
    ['Always', 1, 'unreported'],
    ['OnFailure', 0, undefined],
    ['OnFailure', 137, 'unreported'],
    ['Never', 0, undefined],
    ['Never', 1, undefined],
  ] as const;
  for (const [restartPolicy, exitCode, cause] of rows) {
    const options = { restartPolicy, containers: [unreported(2, exitCode), running()] };
    assert.equal(causeOf(options), cause, `${restartPolicy} and exit code ${exitCode}`);
  }
});

test("a container's own restart policy takes precedence over the pod's", () => {
  const cause = (restartPolicy: string, own: string, exitCode: number) =>
    causeOf({ restartPolicy, containers: [unreported(1, exitCode, { restartPolicy: own }), running()] });
  assert.equal(cause('Never', 'Always', 0), 'unreported');
  assert.equal(cause('Never', 'OnFailure', 0), undefined);
  assert.equal(cause('Never', 'OnFailure', 2), 'unreported');
  assert.equal(cause('Always', 'Never', 2), undefined);
  assert.equal(cause('Always', 'OnFailure', 0), undefined);
});

test("a container's restart rules take precedence over its policy", () => {
  const cause = (operator: string, values: number[], exitCode: number, action = 'Restart') => {
    const restartPolicyRules = [{ action, exitCodes: { operator, values } }];
    const spec = { restartPolicy: 'Never', restartPolicyRules };
    return causeOf({ restartPolicy: 'Never', containers: [unreported(1, exitCode, spec), running()] });
  };
  assert.equal(cause('In', [42], 42), 'unreported');
  assert.equal(cause('In', [42], 1), undefined);
  assert.equal(cause('NotIn', [42], 1), 'unreported');
  assert.equal(cause('NotIn', [42], 42), undefined);
  assert.equal(cause('In', [42], 42, 'RestartAllContainers'), 'unreported');
  assert.equal(cause('In', [42], 42, 'SomethingNew'), undefined);
  assert.equal(cause('Between', [42], 42), undefined);
});

test('a completed init container is not in back-off; a failed one is, if the pod’s policy allows a retry', () => {
  const init = (restartPolicy: string, exitCode: number) =>
    causeOf({ restartPolicy, phase: 'Pending', initContainers: [unreported(2, exitCode)], containers: initializing });
  assert.equal(init('Always', 0), undefined);
  assert.equal(init('Always', 1), 'unreported');
  assert.equal(init('OnFailure', 1), 'unreported');
  assert.equal(init('Never', 1), undefined);
  assert.equal(causeOf({ initContainers: [unreported(2, 0)], containers: [running()] }), undefined);
});

test('a pod that works as a whole is not crash-looping, whatever its init containers do', () => {
  const cause = (Ready: string, options: PodOptions) => causeOf({ ...options, conditions: { Ready } });
  for (const failing of [backOff(), unreported(2, 1), failedStart('RunContainerError')]) {
    const rerun = { initContainers: [failing], containers: [running()] };
    assert.equal(cause('True', rerun), undefined, 'it is ready');
    assert.equal(cause('False', rerun), undefined, 'it runs, and a probe or a readiness gate fails');
    assert.equal(causeOf(rerun), undefined, 'its conditions are missing');
    for (const containers of [initializing, [terminated(ended, 0)]])
      assert.notEqual(cause('False', { ...rerun, containers }), undefined, 'no container runs');
    assert.notEqual(cause('False', { ...rerun, initContainers: [{ ...failing, spec: sidecar }] }), undefined);
    assert.equal(cause('True', { ...rerun, initContainers: [{ ...failing, spec: sidecar }] }), undefined);
  }
});

test('a container that crash-loops beside one that runs counts, unless the pod is ready', () => {
  const mixed = { initContainers: [backOff()], containers: [running(), { ...backOff(), name: 'web' }] };
  assert.equal(crashLooping(pod(mixed))?.container, 'web');
  for (const [Ready, cause] of Object.entries({
    False: 'CrashLoopBackOff',
    Unknown: 'CrashLoopBackOff',
    True: undefined,
  }))
    assert.equal(causeOf({ ...mixed, conditions: { Ready } }), cause, Ready);
  assert.equal(causeOf({ ...mixed, conditions: { ContainersReady: 'True' } }), 'CrashLoopBackOff');
});

test('a sidecar is restarted whatever its exit code and the policy of its pod, unless the pod is ending', () => {
  const withMain = (main: ContainerState, restartPolicy: string) =>
    causeOf({ restartPolicy, initContainers: [unreported(1, 0, sidecar)], containers: [main] });
  for (const policy of ['Always', 'OnFailure', 'Never']) assert.equal(withMain(running(), policy), 'unreported');
  assert.equal(withMain(unreported(0, 0), 'OnFailure'), undefined);
  assert.equal(withMain(unreported(3, 1), 'Never'), undefined);
});

test('a pod that has ended or is being deleted is ignored', () => {
  for (const phase of ['Succeeded', 'Failed']) assert.equal(causeOf({ phase, containers: [backOff()] }), undefined);
  assert.equal(causeOf({ containers: [backOff()], deletionTimestamp: '2026-01-01T00:00:00Z' }), undefined);
});

test('of several containers in back-off, the one that has been in it for the longest counts', () => {
  const containers = [terminated(ended, 1), terminated(ended - 5000, 2), running()];
  assert.equal(crashLooping(pod({ containers }))?.container, 'main-1');
  assert.equal(crashLooping(pod({ containers: [...containers, backOff()] }))?.cause, 'CrashLoopBackOff');
});

test('the protection of a pod, and the order of precedence', () => {
  const protection = (options: PodOptions) => crashLooping(pod({ containers: [backOff()], ...options }))?.protection;
  const mirror = { 'kubernetes.io/config.mirror': 'x' };
  const ignore = { 'weeder.dev/ignore': 'true' };
  assert.equal(protection({}), 'none');
  assert.equal(protection({ isBare: true }), 'barePod');
  assert.equal(protection({ annotations: mirror }), 'mirrorPod');
  assert.equal(protection({ annotations: ignore, isBare: true }), 'ignored');
  assert.equal(protection({ annotations: { 'weeder.dev/ignore': 'yes' } }), 'none');
  const job = { kind: 'Job', uid: 'j-1' };
  assert.equal(protection({ owner: job, restartPolicy: 'Never' }), 'jobWithoutRestarts');
  assert.equal(protection({ owner: job, restartPolicy: 'OnFailure' }), 'none');
  assert.equal(protection({ owner: { kind: 'ShardRun', uid: 's-1' }, restartPolicy: 'Never' }), 'none');
  const owned = pod({ containers: [backOff()] });
  const ownerReferences = [{ kind: 'Foo', name: 'foo', uid: 'f' }];
  assert.equal(crashLooping({ ...owned, metadata: { ...owned.metadata, ownerReferences } })?.protection, 'barePod');
});

test('an unreported back-off began when it was first seen, or when the container ended by the node’s clock', () => {
  const clock = virtualClock(ended);
  const loopingPod = crashLooping(pod({ containers: [unreported()] }));
  assert.ok(loopingPod !== undefined);
  const began = clock.monotonic();
  assert.equal(unreportedSince(loopingPod, began, clock), began);
  clock.advance(2000);
  assert.equal(unreportedSince(loopingPod, began + 1999, clock), began);
  clock.jumpWallClock(-3_600_000);
  assert.equal(unreportedSince(loopingPod, began + 1999, clock), began + 1999);
  assert.equal(unreportedSince({ ...loopingPod, startableAt: undefined }, began + 500, clock), began + 500);
  assert.equal(unreportedSince({ ...loopingPod, cause: 'CrashLoopBackOff' }, began, clock), undefined);
});

test('a back-off is the same while cause, container and restart count are the same', () => {
  const loopingPod = crashLooping(pod({ containers: [unreported()] }));
  assert.ok(loopingPod !== undefined);
  assert.ok(isSameBackOff(loopingPod, { ...loopingPod, resourceVersion: 'x', message: 'y' }));
  assert.ok(!isSameBackOff(loopingPod, { ...loopingPod, restarts: 2 }));
  assert.ok(!isSameBackOff(loopingPod, { ...loopingPod, container: 'other' }));
  assert.ok(!isSameBackOff(loopingPod, { ...loopingPod, cause: 'CrashLoopBackOff' }));
});

test('any value in place of a pod or a part of it is a crash loop or not, and nothing throws', () => {
  fc.assert(fc.property(fc.anything(), (garbage) => void crashLooping(garbage)));
  const paths = pathsOf(pod({ initContainers: [unreported(1, 0, sidecar)], containers: [backOff(), unreported()] }));
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.anything(), (path, garbage) => {
      const broken = pod({ initContainers: [unreported(1, 0, sidecar)], containers: [backOff(), unreported()] });
      set(broken, path, garbage);
      const loopingPod = crashLooping(broken);
      if (loopingPod !== undefined) assert.ok((unreportedSince(loopingPod, 0, virtualClock()) ?? 0) <= 0);
    }),
    propertyRuns(1000),
  );
});

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [[key], ...pathsOf(child).map((path) => [key, ...path])]);
}

function set(target: object, path: readonly string[], value: unknown): void {
  const parent = path.slice(0, -1).reduce<object>((each, key) => Reflect.get(each, key), target);
  Reflect.set(parent, String(path.at(-1)), value);
}

test('an owner that no object can be is no controller: the pod is protected as a bare pod', () => {
  const owned = pod({ containers: [backOff()] });
  const [reference] = owned.metadata.ownerReferences;
  const protectionWith = (part: object) => {
    const ownerReferences = [{ ...reference, ...part }];
    return crashLooping({ ...owned, metadata: { ...owned.metadata, ownerReferences } });
  };
  for (const part of [{}, { name: 'n'.repeat(253) }, { apiVersion: 'apps.kruise.io/v1alpha1' }, { kind: 'My-Kind' }])
    assert.equal(protectionWith(part)?.protection, 'none', JSON.stringify(part));
  for (const part of [
    { name: 'n'.repeat(254) },
    { name: 'a/b' },
    { name: '..' },
    { uid: 'u'.repeat(65) },
    { kind: 'k'.repeat(64) },
  ]) {
    const found = protectionWith(part);
    assert.equal(found?.protection, 'barePod', JSON.stringify(part));
    assert.equal(found?.owner, undefined);
    assert.equal(found?.workload, `Pod ${owned.metadata.namespace}/${owned.metadata.name}`);
  }
});
