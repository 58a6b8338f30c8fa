import type { ApiStore } from '../apiserver/apiStore.ts';
import type { Clock } from '../clock/clock.ts';
import { startDaemonSets } from './daemonSets.ts';
import { startDeployments } from './deployments.ts';
import { startJobs } from './jobs.ts';
import { startReplicaSets } from './replicaSets.ts';
import { startStatefulSets } from './statefulSets.ts';

/** Starts the controllers of all workloads, whose pods are bound to one node. Returns a function that stops them. */
export function startWorkloads(store: ApiStore, clock: Clock): () => void {
  const placement = { nodeName: 'node-1' };
  const stopFunctions = [
    startReplicaSets(store, clock, placement),
    startDeployments(store, clock),
    startStatefulSets(store, clock, placement),
    startDaemonSets(store, clock, placement),
    startJobs(store, clock, placement),
  ];
  return () => {
    for (const stop of stopFunctions) stop();
  };
}
