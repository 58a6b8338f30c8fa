import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  createReplicaSet,
  EndpointSlice,
  onePod,
  Pod,
  patchPodStatus,
  setSlice,
  type TestNamespace,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { startWeederInProcess } from '../support/inProcessWeeder.ts';

const folder = join(import.meta.dirname, '../../data/recorded');
/** Limits the pauses between two events, whose exact length has no effect. Milliseconds. */
const longestPause = 250;

const Line = z.object({ ts: z.coerce.date(), type: z.string(), object: z.unknown() });

/** One recorded event: a pod status from the kubelet, or a slice from the cluster. */
interface Recorded {
  readonly at: Date;
  readonly pod?: Pod;
  readonly ready?: readonly boolean[];
}

function read(name: string, kind: 'pod' | 'slice'): Recorded[] {
  const lines = readFileSync(join(folder, `${name}-${kind}-events.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const { ts: at, object } = Line.parse(JSON.parse(line));
    if (kind === 'pod') return { at, pod: Pod.parse(object) };
    const endpoints = EndpointSlice.parse(object).endpoints ?? [];
    return { at, ready: endpoints.map(({ conditions }) => conditions?.ready !== false) };
  });
}

/** Reads the events up to the recovery, which is the first ready endpoint after an outage. */
function readUpToRecovery(name: string): { readonly before: Recorded[]; readonly recovery: Recorded } {
  const events = [...read(name, 'pod'), ...read(name, 'slice')].sort((a, b) => a.at.getTime() - b.at.getTime());
  const isOutage = ({ ready }: Recorded) => ready?.includes(true) === false;
  const outage = events.findIndex(isOutage);
  const end = events.findIndex(({ ready }, index) => index > outage && ready?.includes(true));
  const recovery = events[end];
  assert.ok(outage > 0 && recovery !== undefined, 'the recording contains an outage and a recovery');
  return { before: events.slice(0, end), recovery };
}

/** Returns the recorded status with its times shifted to now. */
function statusNow(pod: Pod, at: Date): object {
  const age = Date.now() - at.getTime();
  const move = (key: string, value: unknown) =>
    /^(startedAt|finishedAt|startTime|lastTransitionTime)$/.test(key) && typeof value === 'string'
      ? new Date(Date.parse(value) + age).toISOString().replace(/\.\d+Z$/, 'Z')
      : value;
  return z.looseObject({}).parse(JSON.parse(JSON.stringify(pod.status, move)));
}

async function apply(ns: TestNamespace, name: string, { at, pod, ready }: Recorded): Promise<void> {
  if (pod !== undefined) await patchPodStatus(ns, name, statusNow(pod, at));
  else await setSlice(ns, 'etcd-main-client', { ready: ready ?? [] });
}

async function replay(t: TestContext, name: string): Promise<void> {
  const { before, recovery } = readUpToRecovery(name);
  const ns = await testNamespace(t, name);
  const observer = await watchDeletions(ns);
  const labels = { 'gardener.cloud/role': 'controlplane', role: 'apiserver' };
  const config = { servicesAndDependantSelectors: { 'etcd-main-client': { podSelectors: [{ matchLabels: labels }] } } };
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, namespaces: [ns.name] });
  await weeder.ready();
  const [pod] = await createReplicaSet(ns, 'kapi', { labels, containers: ['kube-apiserver'] });
  assert.ok(pod);

  let isReady = false;
  let outages = 0;
  for (const [index, event] of before.entries()) {
    await apply(ns, pod.metadata.name, event);
    const wasReady = isReady;
    isReady = event.ready?.includes(true) ?? isReady;
    // Later events of the pod are in a separate stream, and may not precede the outage.
    if (wasReady && !isReady) {
      outages += 1;
      await weeder.log.until('service is down', {}, { count: outages });
    }
    const next = before[index + 1] ?? recovery;
    await pause(Math.min(next.at.getTime() - event.at.getTime(), longestPause));
  }
  await observer.caughtUp();
  assert.deepEqual(observer.deletions(), [], 'nothing is deleted before the recovery');

  const readyAt = performance.timeOrigin + performance.now();
  await apply(ns, pod.metadata.name, recovery);
  const deletion = await observer.untilDeleted(pod.metadata.uid);
  const waited = Math.round(deletion.at - readyAt);
  t.diagnostic(`${before.length} recorded events, then the recovery; the pod was deleted ${waited} ms after it`);
  // test/weeder checks the time in virtual time. Without weeder, the pod would not be deleted at all.
  assert.ok(waited < 60_000, `deleted ${waited} ms after the recovery`);
  await onePod(ns, { workload: 'kapi' }, { not: pod.metadata.uid });
  const reported = weeder.eventsOf('pod.deleted');
  t.diagnostic(`cause: ${reported.map((event) => `${event.pod.cause} after ${event.pod.restarts} restarts`).join()}`);
}

suite('recorded crash loops, replayed on a real API server', { concurrency: true }, () => {
  test('a pod whose process exits at once is deleted when its service is scaled up again', (t) =>
    replay(t, 'scaled-to-zero'));

  test('a pod whose process exits after five seconds is deleted when its service is ready again', (t) =>
    replay(t, 'not-ready-exit5'));
});
