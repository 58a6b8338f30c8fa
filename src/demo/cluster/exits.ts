import { backOffAfter, type ContainerExit } from '@weeder/embedded-cluster';
import type { PodView } from '../podView.ts';

/** Detects the exits of containers in the pod statuses of a real kubelet, each once. */
export function watchExits(report: (exit: ContainerExit) => void): (pod: PodView) => void {
  const seen = new Map<string, number>();
  return ({ uid, name, exits }) => {
    if (exits <= (seen.get(uid) ?? 0)) return;
    seen.set(uid, exits);
    report({ type: 'container.exited', pod: name, restarts: exits - 1, backOff: backOffAfter(exits) });
  };
}

/** The approximate time until a running and a starting dependant exit without etcd; milliseconds. */
const survives = 10_000;
const exitsAfter = 5_000;

/** When the kubelet first restarts a dependant after the outage, in milliseconds from the beginning of the outage. */
export function returnAfter(outage: number): number {
  let restartAt = survives;
  for (let exits = 2; restartAt < outage; exits += 1) restartAt += exitsAfter + backOffAfter(exits);
  return restartAt;
}
