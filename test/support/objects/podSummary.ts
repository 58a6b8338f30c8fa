import type { PodSummary } from '../../../src/restart/pods/podSummary.ts';

/** A pod of the Deployment `shop/web` that has long been running, as restart control knows it. */
export function podSummary(part: Partial<PodSummary> = {}): PodSummary {
  return {
    namespace: 'shop',
    name: 'web-5d4f8-abcde',
    uid: 'u-pod',
    resourceVersion: '1',
    createdAt: Date.UTC(2026, 0, 1),
    isEnding: false,
    isOver: false,
    owner: { kind: 'ReplicaSet', name: 'web-5d4f8', uid: 'u-rs' },
    node: 'node-1',
    templateHash: '5d4f8',
    rolloutHash: undefined,
    revision: undefined,
    templateGeneration: undefined,
    dependenciesHash: undefined,
    startedContainers: new Set(['main']),
    runningContainers: 1,
    startedAt: new Map(),
    hasVolumes: true,
    isReady: true,
    failure: undefined,
    ...part,
  };
}
