import { backOffAfter, type ContainerExit } from '@weeder/embedded-cluster';
import type { PodView } from '../podView.ts';

/** Finds the exits of containers in what a real kubelet reports, each once. */
export function watchExits(report: (exit: ContainerExit) => void): (pod: PodView) => void {
  const seen = new Map<string, number>();
  return ({ uid, name, exits }) => {
    if (exits <= (seen.get(uid) ?? 0)) return;
    seen.set(uid, exits);
    report({ type: 'container.exited', pod: name, restarts: exits - 1, backOff: backOffAfter(exits) });
  };
}

/** How long dependants take to give up etcd, when they run and when they start; milliseconds, roughly. */
const survives = 10_000;
const givesUpAfter = 5_000;

/** When a dependant that is left alone is restarted first after an outage, in milliseconds from its beginning. */
export function returnAfter(outage: number): number {
  let restartAt = survives;
  for (let exits = 2; restartAt < outage; exits += 1) restartAt += givesUpAfter + backOffAfter(exits);
  return restartAt;
}
