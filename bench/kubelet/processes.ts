import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/cluster/support/eventually.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { type ManagedProcess, SetupProblem, startProcess } from '../../test/cluster/support/plane/process.ts';
import { weederConfig } from './workloads.ts';

/** Starts the scheduler for this cluster. It ends with the cluster's folder, or by `kill`. */
export function startScheduler(cluster: Cluster, binary: string): ManagedProcess {
  const kubeconfig = cluster.kubeconfigFor('admin');
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
  return startProcess(cluster.dir, 'kube-scheduler', binary, flags);
}

/** Starts weeder from its production bundle, `program`. `ready` resolves when its caches are synced. */
export function startBundle(
  cluster: Cluster,
  program: string,
): { readonly process: ManagedProcess; ready(): Promise<void> } {
  const config = join(cluster.dir, 'weeder.json');
  writeFileSync(config, JSON.stringify(weederConfig));
  const flags = [
    `--config-file=${config}`,
    `--kubeconfig=${cluster.kubeconfigFor('admin')}`,
    '--health-bind-addr=0',
    '--metrics-bind-addr=0',
  ];
  const weeder = startProcess(cluster.dir, 'weeder', process.execPath, [program, 'run', ...flags]);
  return {
    process: weeder,
    async ready() {
      const isSynced = (): boolean =>
        readFileSync(weeder.logFile, 'utf8').includes('caches synced, starting controller');
      await eventually(isSynced, { what: 'a weeder that is synced' }).catch((cause: unknown) => {
        throw new SetupProblem(`weeder does not start: ${weeder.tail()}`, { cause });
      });
    },
  };
}

/** Copies its log. */
export function copyLog(server: ManagedProcess, folder: string): void {
  copyFileSync(server.logFile, join(folder, `${server.name}.log`));
}
