import type { CrashLoopingPod } from '../../../src/weeder/pods/crashLooping.ts';

/** A pod of weeder's index, in a back-off that the kubelet reports. */
export function crashLoopingPod(part: Partial<CrashLoopingPod> = {}): CrashLoopingPod {
  return {
    uid: 'u-1',
    namespace: 'shop',
    name: 'web-0',
    resourceVersion: '7',
    container: 'main',
    containerKind: 'container',
    cause: 'CrashLoopBackOff',
    restarts: 4,
    finishedAt: undefined,
    startableAt: undefined,
    lastRun: undefined,
    waited: undefined,
    message: 'back-off 1m20s restarting failed container=main',
    protection: 'none',
    owner: 'rs-1',
    workload: 'Deployment shop/web',
    isReplacedAtOnce: true,
    createdAt: undefined,
    stopsWithin: 0,
    ...part,
  };
}
