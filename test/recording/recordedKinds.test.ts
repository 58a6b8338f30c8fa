import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { crashLooping } from '../../src/weeder/pods/crashLooping.ts';

/** A minute of a real kubelet (1.36.3, containerd 1.6): a pod for each way to crash-loop, reduced to what matters here. */
const recorded = new URL('../data/recorded/kinds-pod-events.jsonl', import.meta.url);

const Status = z.object({ restartCount: z.number(), state: z.record(z.string(), z.unknown()) });
const Line = z.object({
  ts: z.coerce.date(),
  object: z.looseObject({
    metadata: z.object({ name: z.string() }),
    status: z.object({
      initContainerStatuses: z.array(Status).default([]),
      containerStatuses: z.array(Status).default([]),
    }),
  }),
});

interface PodStatus {
  /** Milliseconds. */
  readonly at: number;
  /** Fields of the container that crashes. */
  readonly restarts: number;
  readonly isRunning: boolean;
  readonly seen: ReturnType<typeof crashLooping>;
}

/** The statuses of each pod, in the order of time. */
const statuses = new Map<string, PodStatus[]>();
const crashers = new Map<string, number>();
const lines = readFileSync(recorded, 'utf8').trim().split('\n');
const statusesOf = (line: z.infer<typeof Line>) => {
  const { initContainerStatuses, containerStatuses } = line.object.status;
  return [...initContainerStatuses, ...containerStatuses];
};
const parsed = lines.map((line) => ({ line: Line.parse(JSON.parse(line)), object: JSON.parse(line).object }));
for (const { line } of parsed) {
  const restarts = statusesOf(line).map((status) => status.restartCount);
  if (restarts.length > 0) crashers.set(line.object.metadata.name, restarts.indexOf(Math.max(...restarts)));
}
for (const { line, object } of parsed) {
  const { name } = line.object.metadata;
  const status = statusesOf(line)[crashers.get(name) ?? 0];
  if (status === undefined) continue;
  const podStatus = { at: line.ts.getTime(), restarts: status.restartCount, isRunning: 'running' in status.state };
  statuses.set(name, [...(statuses.get(name) ?? []), { ...podStatus, seen: crashLooping(object) }]);
}

/** Whether it has exited and is down for more than 5 s until its restart; undefined where the recording ends first. */
function isInBackOff(podStatuses: readonly PodStatus[], { at, restarts, isRunning }: PodStatus): boolean | undefined {
  const ran = podStatuses.find((status) => status.restarts === restarts && status.isRunning);
  if (isRunning || ran === undefined || at < ran.at) return false;
  const from = podStatuses.find((status) => status.at > ran.at && !status.isRunning);
  const to = podStatuses.find((status) => status.restarts > restarts);
  return from && to && to.at - from.at > 5_000;
}

const kinds = {
  'init-at-once': 'an init container that exits at once',
  'init-3s': 'an init container that exits after 3 s',
  'init-onfailure': 'an init container of a pod that restarts on failure only',
  'sidecar-3s': 'a sidecar',
  'two-containers': 'one of two containers',
  onfailure: 'a container of a pod that restarts on failure only',
  'own-policy': 'a container with a restart policy of its own, in a pod that restarts nothing',
  liveness: 'a container that its liveness probe kills',
  startup: 'a container that its startup probe kills',
};

for (const [name, kind] of Object.entries(kinds)) {
  test(`a real kubelet waits before ${kind}: the back-off is detected from beginning to end of each wait, and at no other time`, () => {
    const podStatuses = statuses.get(name) ?? [];
    const statusesWithBackOff = podStatuses.map((status) => ({
      ...status,
      isInBackOff: isInBackOff(podStatuses, status),
    }));
    for (const { at, restarts, seen, ...status } of statusesWithBackOff) {
      if (status.isInBackOff === undefined) continue;
      assert.equal(seen !== undefined, status.isInBackOff, `${new Date(at).toISOString()}, restarts ${restarts}`);
    }
    assert.equal(
      new Set(statusesWithBackOff.filter((status) => status.isInBackOff).map(({ restarts }) => restarts)).size,
      2,
    );
  });
}

test('a container that is not restarted is never in back-off', () => {
  assert.ok((statuses.get('own-never') ?? []).length > 2);
  for (const { seen } of statuses.get('own-never') ?? []) assert.equal(seen, undefined);
});

for (const [name, reason] of [
  ['no-such-program', 'RunContainerError'],
  ['poststart', 'PostStartHookError'],
] as const) {
  test(`a start that fails is waiting with ${reason} for most of its back-off: in unreported back-off from the second try on`, () => {
    const podStatuses = statuses.get(name) ?? [];
    assert.ok(
      podStatuses
        .filter(({ seen }) => seen === undefined)
        .every(({ restarts, isRunning }) => restarts === 0 || isRunning),
    );
    assert.deepEqual(
      new Set(podStatuses.map(({ seen }) => seen?.cause)),
      new Set([undefined, 'unreported', 'CrashLoopBackOff']),
    );
  });
}
