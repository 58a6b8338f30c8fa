import { join } from 'node:path';
import { findNodeBinaries } from '../../bench/kubelet/binaries.ts';
import { checkMachine } from '../../bench/kubelet/requirements.ts';
import { helmFolder } from '../cluster/support/deploy/helm.ts';
import { findAssets, linkerFlags } from '../cluster/support/plane/assets.ts';
import { builtTools, type ToolModule } from '../cluster/support/plane/build.ts';

/** A separate Go module, so that other tests do not build these programs. */
const network: ToolModule = {
  name: 'tutorial',
  folder: join(import.meta.dirname, 'programs'),
  version: /k8s\.io\/kubernetes (v[\d.]+)/,
  what: 'kubectl, kube-proxy and CoreDNS',
  takes: '4 minutes',
  linkerFlags,
};

/** Everything that the commands of a page and their cluster need of this machine. */
export type Programs = Awaited<ReturnType<typeof findPrograms>>;

/** Finds the programs, and builds what is not built yet. Throws a SetupProblem that says what is missing. */
export async function findPrograms() {
  const { plugins } = await checkMachine('This test', [
    ['ip', 'iproute2'],
    ['iptables', 'iptables'],
  ]);
  await findAssets();
  const node = await findNodeBinaries();
  return {
    node,
    /** The folder of the CNI plugins. */
    plugins,
    /** The folder of kubectl, kube-proxy and coredns. */
    folder: await builtTools(network),
    /** The folder of helm. */
    helm: await helmFolder(),
  };
}
