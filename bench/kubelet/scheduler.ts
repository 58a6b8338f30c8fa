import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { type ManagedProcess, startProcess } from '../../test/cluster/support/plane/process.ts';

/** Starts the scheduler for this cluster. It ends with the cluster's folder, or by `kill`. */
export function startScheduler(cluster: Cluster, binary: string): ManagedProcess {
  const kubeconfig = cluster.kubeconfigFor('admin');
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
  return startProcess(cluster.dir, 'kube-scheduler', binary, flags);
}
