import type { KubeObject, Program } from '@weeder/embedded-cluster';
import { etcdLabels, etcdService } from '../../../src/demo/objects.ts';

const healthy: Program = { needs: undefined, readyAfter: 300, givesUpAfter: 0, survives: 0, isHealthy: true };

/**
 * The programs in the pods of `weeder demo --kubeconfig`, for the simulated kubelet: their own scripts need a real one.
 * `needs` is the service without which the dependants crash.
 */
export function demoPrograms(needs: () => string = () => etcdService): (pod: KubeObject) => Program {
  return ({ metadata }) => {
    if (metadata.labels?.['role'] === etcdLabels.role) return healthy;
    return { ...healthy, needs: needs(), givesUpAfter: 1_500, survives: 9_500 };
  };
}
