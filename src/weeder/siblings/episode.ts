import type { CrashLoopingPod } from '../pods/crashLooping.ts';

/** The time in which a pod, or the one that replaces it, crash-loops and is not Ready for long in between. */
export interface Episode {
  /** The newest version in which it crash-looped. */
  pod: CrashLoopingPod;
  /** Its controller and the revision of its template: a pod with the same ones may replace it. Undefined: none may. */
  readonly template: string | undefined;
  /** The services that it declares, as `namespace/name`, and whose EndpointSlices have not changed since it began. */
  readonly services: Set<string>;
  /** By the monotonic clock, as the other times. */
  readonly since: number;
  /** When the pod stopped to crash-loop. Undefined: it crash-loops now. */
  ranAt: number | undefined;
}
