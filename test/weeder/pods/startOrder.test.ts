import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { crashLooping } from '../../../src/weeder/pods/crashLooping.ts';
import { createPodIndex } from '../../../src/weeder/pods/createPodIndex.ts';
import {
  backOff,
  type ContainerState,
  type PodOptions,
  pod,
  running,
  terminated,
} from '../../support/objects/objects.ts';

const reboot = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(reboot + seconds * 1000).toISOString();
const run = (from: number, to: number, exitCode = 0): ContainerState => ({
  restarts: 1,
  state: { terminated: { exitCode, startedAt: at(from), finishedAt: at(to) } },
});
const waiting = (reason: string): ContainerState => ({ restarts: 1, state: { waiting: { reason } } });
const runs = (from: number, started?: boolean): ContainerState => ({
  restarts: 1,
  state: { running: { startedAt: at(from) } },
  ...(started === undefined ? {} : { started }),
});
const asSidecar = (state: ContainerState): ContainerState => ({ ...state, spec: { restartPolicy: 'Always' } });

/** A step that was done after the reboot, one that was not, and one that is in back-off itself. */
type Is = 'done' | 'open' | 'backedOff';
type Row = readonly [string, Is, ContainerState];

const firsts: readonly Row[] = [
  ['succeeded', 'done', run(1, 2)],
  ['runs', 'open', runs(1)],
  ['failed once', 'open', { ...run(1, 2, 1), restarts: 0 }],
  ['is being created', 'open', waiting('PodInitializing')],
  ['waits for its image', 'open', waiting('ImagePullBackOff')],
  ['cannot be found', 'open', { restarts: 1, state: {} }],
  ['crash-loops', 'backedOff', run(1, 2, 1)],
  ['crash-loops, as reported', 'backedOff', backOff()],
];
const sidecars: readonly Row[] = [
  ['started', 'done', runs(3, true)],
  ['runs, and has not passed its startup probe', 'open', runs(3, false)],
  ['is being created', 'open', waiting('PodInitializing')],
  ['ended for the first time', 'open', { ...run(3, 4), restarts: 0 }],
  ['crash-loops', 'backedOff', run(3, 4)],
  ['crash-loops, as reported', 'backedOff', backOff()],
];
const lasts: readonly Row[] = [
  ['succeeded', 'done', run(5, 6)],
  ['succeeded before the reboot', 'open', run(-9, -8)],
  ['waits for its image', 'open', waiting('ErrImagePull')],
  ['crash-loops', 'backedOff', run(5, 6, 1)],
];
const mains: readonly Row[] = [
  ['killed by the reboot', 'backedOff', run(-20, -1, 137)],
  [
    'lost in the reboot',
    'backedOff',
    { restarts: 1, state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } },
  ],
  ['not started', 'backedOff', { ...waiting('RunContainerError'), lastState: { terminated: { exitCode: 128 } } }],
  ['crash-loops, as reported', 'backedOff', backOff()],
  ['crash-looped before the reboot, as reported', 'backedOff', { ...backOff(), lastState: run(-20, -1, 1).state }],
  ['waits', 'open', waiting('PodInitializing')],
];

/** Every choice of one row of each table. */
function combinations(): (readonly Row[])[] {
  const tables = [firsts, sidecars, lasts, mains];
  return tables.reduce<(readonly Row[])[]>(
    (found, table) => found.flatMap((each) => table.map((row) => [...each, row])),
    [[]],
  );
}

test('only the container crash-loops that the kubelet starts next, of all combinations of the steps before it', () => {
  const names = ['first', 'sidecar', 'last', 'main'];
  const seen = new Set<string | undefined>();
  for (const rows of combinations()) {
    const [first, sidecar, last, main] = rows.map(([, , state], index) => ({ ...state, name: names[index] ?? '' }));
    assert.ok(first && sidecar && last && main);
    const next = rows.findIndex(([, is]) => is !== 'done');
    for (const sandbox of ['True', 'False', 'unsaid']) {
      const conditions = { Initialized: 'True', ...(sandbox !== 'unsaid' && { PodReadyToStartContainers: sandbox }) };
      const steps: PodOptions = { initContainers: [first, asSidecar(sidecar), last], containers: [main] };
      const expected = sandbox === 'False' || rows[next]?.[1] !== 'backedOff' ? undefined : names[next];
      const found: string | undefined = crashLooping(pod({ conditions, ...steps }))?.container;
      assert.equal(
        found,
        expected,
        `sandbox ${sandbox}; ${rows.map(([name], index) => `${names[index]} ${name}`).join('; ')}`,
      );
      seen.add(found);
    }
  }
  assert.deepEqual(seen, new Set([...names, undefined]));
});

test('beside a container that runs, no step before the others counts; without a sandbox nothing does', () => {
  for (const [name, , state] of sidecars.slice(0, 3))
    for (const [sandbox, expected] of [
      ['True', 'main-1'],
      ['False', undefined],
    ] as const) {
      const found = crashLooping(
        pod({
          conditions: { PodReadyToStartContainers: sandbox },
          initContainers: [waiting('PodInitializing'), asSidecar(state)],
          containers: [running(), terminated(reboot, 2)],
        }),
      );
      assert.equal(found?.container, expected, name);
    }
});

test('what the kubelet reported before it began again with the first step is not a report', () => {
  const cause = (lastState: object, first: ContainerState) =>
    crashLooping(pod({ initContainers: [first], containers: [{ ...backOff(), lastState }] }))?.cause;
  assert.equal(cause(run(-20, -1, 1).state, run(1, 2)), 'unreported');
  assert.equal(cause(run(3, 4, 1).state, run(1, 2)), 'CrashLoopBackOff');
  assert.equal(cause({}, run(1, 2)), 'CrashLoopBackOff');
});

test('when sandboxes are killed on a kubelet 1.36, no pod is deletable while an init container or a startup probe waits', () => {
  const lines = readFileSync(new URL('../../data/recorded/lost-sandbox-pod-events.jsonl', import.meta.url), 'utf8');
  const clock = virtualClock(Date.UTC(2026, 10, 29, 3, 8));
  const index = createPodIndex(clock);
  const reported = new Map<string, string>();
  const deletable = new Set<string>();
  for (const line of lines.trim().split('\n')) {
    const { ts: time, object } = JSON.parse(line);
    clock.advance(Date.parse(time) - clock.now());
    for (const { uid, name } of index.podsIn('all'))
      if ((index.unreportedSince(uid) ?? Number.NEGATIVE_INFINITY) + 2000 <= clock.monotonic())
        deletable.add(`${reported.get(name)} ${name}`);
    reported.set(object.metadata.name, time.slice(14, 19));
    index.apply('MODIFIED', object);
  }
  // The sandboxes are killed at 08:57. From 09:16 on nothing but the back-off of the containers is waited for.
  const before = ['08:46 sidecar', '08:48 init', '08:53 sandbox', '08:55 sandbox'];
  assert.deepEqual([...deletable].sort(), [...before, '09:17 init', '09:17 sidecar', '09:29 sandbox']);
});

test('a container is startable from when the last step before it was done, if the status says when', () => {
  const startableAt = (probe: object, first: ContainerState, main = run(-20, -1, 137)) => {
    const proxy = { ...runs(3, true), spec: { restartPolicy: 'Always', ...probe } };
    return crashLooping(pod({ initContainers: [first, proxy], containers: [main] }))?.startableAt;
  };
  assert.equal(startableAt({}, run(1, 2)), reboot + 3000);
  assert.equal(startableAt({}, run(1, 2), run(8, 9, 1)), reboot + 9000);
  assert.equal(startableAt({ startupProbe: {} }, run(1, 2)), undefined);
  const sandbox = { status: 'True', lastTransitionTime: at(5) };
  const rebooted = pod({ conditions: { PodReadyToStartContainers: sandbox }, containers: [run(-20, -1, 137)] });
  assert.equal(crashLooping(rebooted)?.startableAt, reboot + 5000);
});

test('what began long before the sandbox, or before the step before it was done, ran in another sandbox', () => {
  const found = (sandbox: number, initContainers: readonly ContainerState[]) => {
    const PodReadyToStartContainers = { status: 'True', lastTransitionTime: at(sandbox) };
    return crashLooping(
      pod({ conditions: { PodReadyToStartContainers }, initContainers, containers: [run(-20, -1, 137)] }),
    );
  };
  const restarted = asSidecar(runs(30, true));
  assert.equal(found(0, [run(1, 2), restarted, run(5, 6)])?.container, 'main-0', 'a sidecar was restarted later');
  assert.equal(found(5, [run(1, 2)])?.container, 'main-0', 'an older kubelet reports a sandbox later');
  assert.equal(found(40, [run(1, 2)]), undefined);
  assert.equal(found(50, [restarted]), undefined);
});
