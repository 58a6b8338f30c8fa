import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../test/cluster/support/access.ts';
import { eventually } from '../../test/cluster/support/eventually.ts';
import { type ManagedProcess, SetupProblem, startProcess } from '../../test/cluster/support/process.ts';
import { weederConfig } from './workloads.ts';

/** The production bundle. */
const bundle = join(import.meta.dirname, '..', '..', 'dist', 'weeder.js');

/** Starts it on this cluster; it ends with the cluster's folder, or by `kill`. */
export function startScheduler(cluster: Cluster, binary: string): ManagedProcess {
  const kubeconfig = cluster.kubeconfigFor('admin');
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
  return startProcess(cluster.dir, 'kube-scheduler', binary, flags);
}

/** Starts weeder as it runs in production. It is `ready` when it has seen the whole cluster. */
export function startBundle(cluster: Cluster): { readonly process: ManagedProcess; ready(): Promise<void> } {
  if (!existsSync(bundle)) throw new SetupProblem(`There is no ${bundle}: npm run build makes it.`);
  const config = join(cluster.dir, 'weeder.json');
  writeFileSync(config, JSON.stringify(weederConfig));
  const flags = [
    `--config-file=${config}`,
    `--kubeconfig=${cluster.kubeconfigFor('admin')}`,
    '--health-bind-addr=0',
    '--metrics-bind-addr=0',
  ];
  const weeder = startProcess(cluster.dir, 'weeder', process.execPath, [bundle, 'run', ...flags]);
  return {
    process: weeder,
    async ready() {
      const isSynced = (): boolean => readFileSync(weeder.logFile, 'utf8').includes('all streams are synced');
      await eventually(isSynced, { what: 'a weeder that is synced' }).catch((cause: unknown) => {
        throw new SetupProblem(`weeder does not start: ${weeder.tail()}`, { cause });
      });
    },
  };
}

/** Keeps what it has said. */
export function keepLog(server: ManagedProcess, folder: string): void {
  copyFileSync(server.logFile, join(folder, `${server.name}.log`));
}
