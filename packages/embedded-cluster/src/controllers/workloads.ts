import type { ApiStore } from '../apiserver/apiStore.ts';
import type { Clock } from '../clock/clock.ts';
import { startDaemonSets } from './daemonSets.ts';
import { startDeployments } from './deployments.ts';
import { startJobs } from './jobs.ts';
import { startReplicaSets } from './replicaSets.ts';
import { startStatefulSets } from './statefulSets.ts';

/** Starts the controllers of all workloads, whose pods are bound to one node. Returns a function that stops them. */
export function startWorkloads(store: ApiStore, clock: Clock): () => void {
  const placing = { nodeName: 'node-1' };
  const parts = [
    startReplicaSets(store, clock, placing),
    startDeployments(store, clock),
    startStatefulSets(store, clock, placing),
    startDaemonSets(store, clock, placing),
    startJobs(store, clock, placing),
  ];
  return () => {
    for (const stop of parts) stop();
  };
}
