import { setTimeout as pause } from 'node:timers/promises';
import { type AdmissionWebhook, createWebhook } from '../../test/cluster/support/admissionWebhook.ts';
import { podsOf, type TestNamespace } from '../../test/cluster/support/cluster.ts';
import { newNamespace } from '../../test/cluster/support/namespace.ts';
import { createOwner, owner } from '../../test/cluster/support/outage/refusedOwners.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { startWeederProgram, weederProgram } from '../support/programs.ts';
import { median, rounded } from '../support/statistics.ts';
import type { CreationCase } from './creationResults.ts';

const kinds = [
  owner('ReplicaSet', 'apis/apps/v1'),
  owner('StatefulSet', 'apis/apps/v1', { serviceName: 'none' }),
  owner('Job', 'apis/batch/v1'),
];

/** Objects of one kind in one namespace, and when their pods appeared, by name. */
interface Group {
  readonly ns: TestNamespace;
  readonly kind: ReturnType<typeof owner>;
  readonly weeder: boolean;
  readonly appeared: Map<string, number>;
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
  try {
    const after = (cleanup: () => unknown) => void cleanups.unshift(cleanup);
    const [helped, alone] = [
      await newNamespace(cluster, 'helped', { after }),
      await newNamespace(cluster, 'alone', { after }),
    ];
    const [webhook, unnoticed] = [await createWebhook(helped), await createWebhook(alone)];
    const weeder = await startWeederProgram({
      program: await weederProgram(),
      dir: cluster.dir,
      kubeconfig: cluster.kubeconfigFor('admin'),
      config: { podCreation: {} },
    });
    const groups = [helped, alone].flatMap((ns) =>
      kinds.map((kind): Group => ({ ns, kind, weeder: ns === helped, appeared: new Map() })),
    );
    for (const group of groups) await createObjects(group, objects);
    log(`${groups.length * objects} objects wait for ${outage} s`);
    await pause(outage * 1000);
    const readyAt = await recoverBoth(webhook, unnoticed);
    await observe(groups, objects, log);
    await weeder.kill();
    return groups.map(({ kind: { kind }, weeder: isHelped, appeared }) => {
      const times = [...appeared.values()].map((at) => (at - readyAt) / 1000);
      const result = { median: rounded(median(times)), last: rounded(Math.max(...times)) };
      return { kind, objects, weeder: isHelped, outage, ...result };
    });
  } finally {
    for (const cleanup of cleanups) await cleanup();
    await cluster.stop();
  }
}

async function createObjects({ ns, kind }: Group, objects: number): Promise<void> {
  for (let index = 0; index < objects; index += 1) await createOwner(ns, { ...kind, name: `${kind.name}-${index}` });
}

/** Of one of them weeder learns nothing. */
async function recoverBoth(webhook: AdmissionWebhook, unnoticed: AdmissionWebhook): Promise<number> {
  await unnoticed.listen();
  const readyAt = Date.now();
  await webhook.recover();
  return readyAt;
}

async function observe(groups: readonly Group[], objects: number, log: (line: string) => void): Promise<void> {
  const isWaiting = ({ appeared }: Group) => appeared.size < objects;
  while (groups.some(isWaiting)) {
    for (const group of groups.filter(isWaiting)) {
      await look(group);
      const { kind, weeder } = group;
      if (!isWaiting(group)) log(`all pods of ${kind.kind}s ${weeder ? 'with' : 'without'} weeder exist`);
    }
    await pause(100);
  }
}

async function look({ ns, kind: { name }, appeared }: Group): Promise<void> {
  for (const { metadata } of await podsOf(ns, {})) {
    const app = metadata.labels?.['app'] ?? '';
    if (app.startsWith(`${name}-`) && !appeared.has(app)) appeared.set(app, Date.now());
  }
}
