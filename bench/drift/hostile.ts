import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { parse } from 'yaml';
import { newNamespace } from '../../test/cluster/support/namespace.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { difference, type Scrape, scrape } from '../support/metricsOf.ts';
import { type Observing, startObserving } from '../support/observing.ts';
import { cpuSeconds, monotonic } from '../support/processFigures.ts';
import { invocation, startWeederProgram, type WeederProgram } from '../support/programs.ts';
import { buildScene, podLabels, type Scene, service } from '../support/scene.ts';
import { profileOf, selfTimes, topOf } from '../support/selfTimes.ts';
import { median, rounded } from '../support/statistics.ts';
import {
  createContested,
  createHostile,
  hostileNamespace,
  removeHostile,
  startWriters,
} from './hostileApplications.ts';
import type { Half, HostileCase } from './hostileResults.ts';

export interface HostileOptions {
  readonly rounds: number;
  /** The number of hostile applications. */
  readonly hostile: number;
  /** The folder for CPU profiles. The times with hostile applications are printed. */
  readonly profile?: string | undefined;
  readonly log: (line: string) => void;
}

const namespaces = 50;
const podsEach = 2;
/** In each half of a round. */
const recoveries = 3;
const deletionTimeoutMs = 120_000;
/** The time until the applications cause their full load. */
const loadMs = 30_000;
const leaseNamespace = 'garden';
const config = {
  servicesAndDependantSelectors: { [service]: { podSelectors: [{ matchLabels: podLabels }] } },
  observer: {},
};

interface Stage {
  readonly cluster: Cluster;
  readonly scene: Scene;
  readonly observing: Observing;
}

/** Measures recoveries without and with hostile applications, both in each round and by the same process. */
export async function measureHostile({ rounds: count, hostile, profile, log }: HostileOptions): Promise<HostileCase[]> {
  const cluster = await startControlPlane({ controllerManager: false });
  try {
    await prepare(cluster, hostile);
    const scene = await buildScene(cluster, namespaces, podsEach);
    const observing = await startObserving(cluster, `role=${podLabels.role}`);
    const stage = { cluster, scene, observing };
    const rounds: HostileCase['rounds'] = [];
    for (let number = 1; number <= count; number += 1) {
      const round = await measureRound(stage, hostile, profile, log);
      rounds.push(round);
      const { without, withHostile, leaseLosses } = round;
      log(
        `round ${number}: ${without.total} ms without, ${withHostile.total} ms with them, loop delay ${withHostile.loopDelay} ms, Lease lost ${leaseLosses} times, requests a second ${JSON.stringify(withHostile.requests)}`,
      );
    }
    observing.stop();
    return [{ namespaces, pods: namespaces * podsEach, hostile, rounds }];
  } finally {
    await cluster.stop();
  }
}

async function prepare(cluster: Cluster, hostile: number): Promise<void> {
  const checkout = join(import.meta.dirname, '../..');
  const [file = ''] = globSync('deploy/components/*/crd.yaml', { cwd: checkout });
  const definition: unknown = parse(readFileSync(join(checkout, file), 'utf8'));
  await cluster.api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await cluster.api('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'applications' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  });
  await newNamespace(cluster, leaseNamespace, { after: () => {} });
  for (let index = 0; index < hostile; index += 1) {
    const name = hostileNamespace(index);
    await newNamespace(cluster, name, { after: () => {} });
    await cluster.api('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  }
  while ((await cluster.send('GET', '/apis/weeder.dev/v1alpha1/applications')).status !== 200) await pause(100);
}

async function measureRound(
  stage: Stage,
  hostile: number,
  profile: string | undefined,
  log: HostileOptions['log'],
): Promise<HostileCase['rounds'][number]> {
  const { cluster } = stage;
  const how = await invocation('deployed', profile !== undefined);
  const weeder = await startWeederProgram({
    program: how.program,
    dir: cluster.dir,
    kubeconfig: cluster.kubeconfigFor('admin'),
    config,
    invocation: how,
    nodeFlags: profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profile}`],
    flags: ['--enable-leader-election', `--leader-election-namespace=${leaseNamespace}`],
  });
  await createContested(cluster, hostile);
  const end = startWriters(cluster, hostile);
  const without = await measureHalf(stage, weeder);
  await createHostile(cluster, hostile);
  await untilStatusesWritten(cluster, hostile);
  await pause(loadMs);
  const from = monotonic();
  const withHostile = await measureHalf(stage, weeder);
  const until = monotonic();
  await end();
  const leaseLosses = (weeder.log().match(/this replica lost leadership/g) ?? []).length;
  if (profile === undefined) await weeder.kill();
  else {
    await weeder.end();
    log(topOf(selfTimes(profileOf(profile, weeder.pid), from, until), 60));
  }
  await removeHostile(cluster, hostile);
  return { without, withHostile, leaseLosses };
}

/** Waits until weeder has written a status of each application. */
async function untilStatusesWritten(cluster: Cluster, hostile: number): Promise<void> {
  for (;;) {
    const list = objectOf(await cluster.api('GET', '/apis/weeder.dev/v1alpha1/applications'));
    const withStatus = arrayOf(list['items']).filter((each) => objectOf(each)['status'] !== undefined);
    if (withStatus.length >= hostile) return;
    await pause(500);
  }
}

async function measureHalf(stage: Stage, weeder: WeederProgram): Promise<Half> {
  const [before, from] = [await scrape(weeder.metricsUrl), monotonic()];
  const cpuBefore = cpuSeconds(weeder.pid);
  const totals: number[] = [];
  for (let recovery = 0; recovery < recoveries; recovery += 1) totals.push(await recoverOnce(stage, weeder));
  const seconds = (monotonic() - from) / 1000;
  const after = await scrape(weeder.metricsUrl);
  return {
    total: rounded(median(totals)),
    cpu: rounded(cpuSeconds(weeder.pid) - cpuBefore, 2),
    loopDelay: rounded(after.loopDelay.max),
    requests: rates(before, after, seconds),
  };
}

function rates(before: Scrape, after: Scrape, seconds: number): Record<string, number> {
  const counted = Object.entries(difference(after.requests, before.requests));
  return Object.fromEntries(counted.map(([what, times]) => [what, rounded(times / seconds, 2)]));
}

/** The time from the first change of a service to the last DELETED event. Milliseconds. */
async function recoverOnce({ scene, observing }: Stage, weeder: WeederProgram): Promise<number> {
  const uids = [...(await scene.breakDown()).keys()];
  await pause(500);
  const awaited = observing.untilDeleted(uids, deletionTimeoutMs);
  const readyAt = await scene.recover();
  const deletedAt = await awaited;
  if (deletedAt.size < uids.length)
    throw new Error(`${uids.length - deletedAt.size} of ${uids.length} pods were not deleted; ${weeder.describe()}`);
  return Math.max(...deletedAt.values()) - Math.min(...readyAt.values());
}
