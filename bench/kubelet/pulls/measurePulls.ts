import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../../../test/cluster/support/plane/ports.ts';
import { packWeeder, packWorkload } from '../image.ts';
import type { MeasureOptions } from '../measure.ts';
import { startNode } from '../node.ts';
import { observe } from '../observer.ts';
import type { Stage } from '../play.ts';
import { startScheduler } from '../scheduler.ts';
import { checkWeeder, startWeeder } from '../weederPod.ts';
import { dependantLabels, deployment } from '../workloads.ts';
import type { PullOutcome } from './pullResults.ts';
import { createRegistry, type Registry, type RegistryImage, readImage, redirect } from './registry.ts';

/** How long the registries are away. Seconds. */
const outages = [60, 180] as const;
/** The longest outage, and the longest back-off of a kubelet after it, twice. Milliseconds. */
const timeoutMs = 15 * 60_000;

/** A registry with its Service in a namespace of its own, which has the name of this. */
interface Trial {
  readonly name: string;
  readonly outage: number;
  readonly port: number;
  readonly registry: Registry;
}

/**
 * Creates Deployments of one pod whose images come from registries that are away; half of the pods declare the registry.
 * The node's containerd reaches it at the loopback address, as with a mirror.
 */
export async function measurePulls(
  options: Pick<MeasureOptions, 'cluster' | 'binaries' | 'plugins' | 'runs' | 'signal' | 'log'>,
): Promise<PullOutcome[]> {
  const { cluster, binaries, plugins, runs, log } = options;
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs), failure.signal]);
  await using cleanup = new AsyncDisposableStack();
  const scheduler = startScheduler(cluster, binaries.scheduler);
  cleanup.defer(() => scheduler.kill());
  const ports = await freePorts(outages.length);
  let image: RegistryImage | undefined;
  const packImages = async (folder: string): Promise<void> => {
    await Promise.all([packWorkload(folder), packWeeder(folder)]);
    image = await readImage(join(folder, 'workload.tar'));
    for (const [index, outage] of outages.entries()) await redirect(folder, hostOf(nameOf(outage)), ports[index] ?? 0);
  };
  const node = await startNode({
    cluster,
    kubelet: binaries.kubelet,
    plugins,
    longestBackOff: 300,
    packImages,
    signal,
  });
  cleanup.defer(() => node.stop());
  await Promise.race([startWeeder(cluster, { declaredDependencies: {} }, signal), node.failed]);
  const observer = observe(cluster);
  cleanup.defer(() => observer.stop());
  const played = outages.map(async (outage, index) => {
    const port = ports[index] ?? 0;
    const registry = createRegistry(port, image);
    cleanup.defer(() => registry.stop());
    return play({ name: nameOf(outage), outage, port, registry }, runs, { cluster, observer, signal });
  });
  try {
    const outcomes = (await Promise.race([Promise.all(played), node.failed, observer.failed])).flat();
    await checkWeeder(cluster);
    for (const each of outcomes) log(JSON.stringify(each));
    return outcomes;
  } catch (error) {
    // Ends the other trials.
    failure.abort(error);
    throw error;
  }
}

async function play({ name, outage, registry }: Trial, runs: number, stage: Stage): Promise<PullOutcome[]> {
  const { cluster, observer, signal } = stage;
  await cluster.api('POST', '/api/v1/namespaces', { metadata: { name } });
  await setReady(name, false, stage);
  const pods = Array.from({ length: runs }, (_, run) =>
    [true, false].map((hasWeeder) => ({ hasWeeder, namespace: `${name}-${hasWeeder ? 'with' : 'without'}-${run}` })),
  ).flat();
  for (const { hasWeeder, namespace } of pods) {
    await cluster.api('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const declared = hasWeeder ? { 'weeder.dev/depends-on': `registry.${name}` } : {};
    // Each has an image of its own: the node would not pull one again.
    const container = { image: `${hostOf(name)}/${namespace}:1`, imagePullPolicy: 'IfNotPresent' };
    const { path, body } = deployment(namespace, { ...dependantLabels, ...declared }, container);
    await cluster.api('POST', path, body);
  }
  const before = new Map<string, string>();
  await observer.when(() => {
    for (const { namespace } of pods) for (const { uid } of observer.pods(namespace)) before.set(namespace, uid);
    return before.size === pods.length;
  }, signal);
  await pause(outage * 1000, undefined, { signal });

  await registry.start();
  await setReady(name, true, stage);
  const readyAt = await observer.when(() => observer.isServiceReady(name), signal);
  return Promise.all(
    pods.map(async ({ hasWeeder, namespace }) => {
      const up = () => observer.pods(namespace).find(({ isReady }) => isReady);
      const upAt = await observer.when(() => up() !== undefined, signal);
      const seconds = (upAt - readyAt) / 1000;
      return { outage, hasWeeder, seconds, replaced: up()?.uid !== before.get(namespace) };
    }),
  );
}

async function setReady(namespace: string, ready: boolean, { cluster }: Pick<Stage, 'cluster'>): Promise<void> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const body = {
    metadata: { name: 'registry', labels: { 'kubernetes.io/service-name': 'registry' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  };
  if (ready) await cluster.api('PUT', `${path}/registry`, body);
  else await cluster.api('POST', path, body);
}

function nameOf(outage: number): string {
  return `away-${outage}s`;
}

function hostOf(namespace: string): string {
  return `registry.${namespace}.svc:5000`;
}
