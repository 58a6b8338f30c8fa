import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { longestBackOffs } from '../../bench/kubelet/cases.ts';
import type { PodNetwork } from '../../bench/kubelet/configs.ts';
import { packWorkload } from '../../bench/kubelet/image.ts';
import { startNode } from '../../bench/kubelet/node.ts';
import { startScheduler } from '../../bench/kubelet/scheduler.ts';
import type { Cluster } from '../cluster/support/plane/access.ts';
import { startControlPlane } from '../cluster/support/plane/controlPlane.ts';
import { startProcess } from '../cluster/support/plane/process.ts';
import { workloadArchive } from './archives.ts';
import type { Programs } from './programs.ts';

/** In the network of the process, which belongs to the test alone. */
const network: PodNetwork = { node: '172.18.0.2', pods: '10.244.0.0/24' };

/** Prepares the Linux namespace for networks in which this process runs: it has no address yet. */
export function openNetwork(): void {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  execFileSync('ip', ['address', 'add', `${network.node}/32`, 'dev', 'lo']);
}

/** A cluster with what a cluster of kind has: pods with addresses and service accounts, Services and their names. */
export interface OneNodeCluster {
  readonly cluster: Cluster;
  /** The socket of the node's containerd. */
  readonly socket: string;
  stop(): Promise<void>;
}

/** Starts the cluster in a network that `openNetwork` has prepared. The node has the image of the tutorial's workloads. */
export async function startCluster(programs: Programs, archives: string): Promise<OneNodeCluster> {
  await using cleanup = new AsyncDisposableStack();
  const cluster = await startControlPlane({
    addressForPods: network.node,
    apiServerFlags: ['--kubelet-preferred-address-types=InternalIP'],
    controllerManagerFlags: ['--controllers=node-lifecycle-controller'],
  });
  cleanup.defer(() => cluster.stop());
  const scheduler = startScheduler(cluster, programs.node.scheduler);
  cleanup.defer(() => scheduler.kill());
  const node = await startNode({
    cluster,
    kubelet: programs.node.kubelet,
    plugins: programs.plugins,
    network,
    longestBackOff: longestBackOffs.default,
    signal: new AbortController().signal,
    packImages: async (folder) => {
      // Also the sandbox of the pods.
      await packWorkload(folder);
      copyFileSync(join(archives, workloadArchive), join(folder, workloadArchive));
    },
  });
  cleanup.defer(() => node.stop());
  for (const [name, flags] of [
    ['kube-proxy', proxyFlags(cluster)],
    ['coredns', [`-conf=${writeCorefile(cluster)}`]],
  ] as const) {
    const server = startProcess(cluster.dir, name, join(programs.folder, name), flags);
    cleanup.defer(() => server.kill());
  }
  const stack = cleanup.move();
  return { cluster, socket: node.socket, stop: () => stack.disposeAsync() };
}

/** As in kind, the limits of connection tracking stay as they are. */
function proxyFlags(cluster: Cluster): readonly string[] {
  return [
    `--kubeconfig=${cluster.kubeconfigFor('admin')}`,
    '--hostname-override=node',
    '--proxy-mode=iptables',
    `--cluster-cidr=${network.pods}`,
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0s',
    '--conntrack-tcp-timeout-close-wait=0s',
  ];
}

function writeCorefile(cluster: Cluster): string {
  const file = join(cluster.dir, 'Corefile');
  const kubernetes = `kubernetes cluster.local {\n    kubeconfig ${cluster.kubeconfigFor('admin')}\n  }`;
  writeFileSync(file, `.:53 {\n  bind ${network.node}\n  errors\n  ${kubernetes}\n}\n`);
  return file;
}
