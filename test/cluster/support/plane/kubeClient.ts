import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { systemClock } from '@weeder/kube-runtime/base';
import { createKubeClient, type KubeClient } from '@weeder/kube-runtime/client';

/** A client of weeder for this kubeconfig. */
export function kubeClientFor(kubeconfig: string): KubeClient {
  const access = loadKubeConfig({ kubeconfig }, {});
  if (!access.ok) throw new Error(access.error.message);
  return createKubeClient({ userAgent: 'weeder/test', access: access.value, clock: systemClock });
}
