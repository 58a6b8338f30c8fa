import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../src/base/promises.ts';
import { type AdmissionWebhook, createWebhook } from '../../test/cluster/support/admissionWebhook.ts';
import type { TestNamespace } from '../../test/cluster/support/cluster.ts';
import { newNamespace } from '../../test/cluster/support/namespace.ts';
import { createOwner, owner } from '../../test/cluster/support/outage/refusedOwners.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { type PodObserver, watchDeletions } from '../../test/cluster/support/podObserver.ts';
import { cpuSeconds, memoryOf } from '../support/processFigures.ts';
import { startWeederProgram, weederProgram } from '../support/programs.ts';
import { median, rounded } from '../support/statistics.ts';
import type { CreationCase } from './creationResults.ts';

const kinds = [
  owner('ReplicaSet', 'apis/apps/v1'),
  owner('StatefulSet', 'apis/apps/v1', { serviceName: 'none' }),
  owner('Job', 'apis/batch/v1'),
];

/** Objects of each kind in one namespace: weeder follows at most 100 objects of a namespace. */
const largestGroup = 30;
/** The maximum number of concurrent requests of the benchmark. */
const concurrency = 8;

/** A namespace with its own webhook and objects of each kind. */
interface Group {
  /** Whether weeder learns that the webhook is back. */
  readonly isHelped: boolean;
  readonly ns: TestNamespace;
  readonly webhook: AdmissionWebhook;
  readonly pods: PodObserver;
  /** Of each kind. */
  readonly objects: number;
}

export interface CreationOptions {
  /** Of each kind, with and without weeder. */
  readonly objects: number;
  /** Seconds. */
  readonly outage: number;
  readonly log: (line: string) => void;
}

/** Measures how long objects wait for their pods after the outage of a webhook, with and without weeder. */
export async function measureCreation({ objects, outage, log }: CreationOptions): Promise<CreationCase[]> {
  const cluster = await startControlPlane();
  const cleanups: (() => unknown)[] = [];
  const after = (cleanup: () => unknown) => void cleanups.unshift(cleanup);
  try {
    const weeder = await startWeederProgram({
      program: await weederProgram(),
      dir: cluster.dir,
      kubeconfig: cluster.kubeconfigFor('admin'),
      config: { podCreation: {} },
    });
    const groups: Group[] = [];
    for (let rest = objects; rest > 0; rest -= largestGroup) {
      for (const isHelped of [true, false]) {
        const name = `${isHelped ? 'helped' : 'alone'}-${groups.length}`;
        const ns = await newNamespace(cluster, name, { after });
        const [webhook, pods] = [await createWebhook(ns), await watchDeletions(ns)];
        groups.push({ isHelped, ns, webhook, pods, objects: Math.min(rest, largestGroup) });
      }
    }
    // One after the other in each namespace, so that with and without weeder the objects are of the same age.
    await inParallel(groups, groups.length, createObjects);
    log(`${2 * kinds.length * objects} objects wait for ${outage} s`);
    await pause(outage * 1000);

    const cpuBefore = cpuSeconds(weeder.pid);
    const readyAt = Date.now();
    await inParallel(groups, concurrency, ({ isHelped, webhook }) => (isHelped ? webhook.recover() : webhook.listen()));
    const cases: CreationCase[] = [];
    for (const isHelped of [true, false]) {
      for (const { kind, name } of kinds) {
        const times = await untilCreated(
          groups.filter((group) => group.isHelped === isHelped),
          name,
          objects,
        );
        const waits = times.map((at) => (at - readyAt) / 1000);
        const [middle, last] = [rounded(median(waits)), rounded(Math.max(...waits))];
        cases.push({ kind, objects, weeder: isHelped, outage, median: middle, last });
        log(JSON.stringify(cases.at(-1)));
      }
    }
    const [cpu, { peak }] = [cpuSeconds(weeder.pid) - cpuBefore, memoryOf(weeder.pid)];
    await weeder.kill();
    return cases.map((each) => (each.weeder ? { ...each, cpu: rounded(cpu), peak: rounded(peak) } : each));
  } finally {
    for (const cleanup of cleanups) await cleanup();
    await cluster.stop();
  }
}

async function createObjects({ ns, objects }: Group): Promise<void> {
  for (let index = 0; index < objects; index += 1) {
    for (const kind of kinds) await createOwner(ns, { ...kind, name: `${kind.name}-${index}` });
  }
}

/** Waits until each object of a kind has a pod. Returns the times of the first ones. */
async function untilCreated(groups: readonly Group[], kind: string, objects: number): Promise<number[]> {
  const first = () => groups.flatMap((group) => firstPods(group, kind));
  while (first().length < objects) await pause(100);
  return first();
}

function firstPods({ pods }: Group, kind: string): number[] {
  const first = new Map<string, number>();
  for (const { type, at, pod } of pods.events) {
    const app = pod.metadata.labels?.['app'] ?? '';
    if (type === 'ADDED' && app.startsWith(`${kind}-`) && !first.has(app)) first.set(app, at);
  }
  return [...first.values()];
}
