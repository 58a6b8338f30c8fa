import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { eventually } from '../../test/cluster/support/eventually.ts';
import { Condition } from '../../test/cluster/support/objects.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { freePorts } from '../../test/cluster/support/plane/ports.ts';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import { cniConfig, containerdConfig, kubeletConfig, logsFolder, type PodNetwork, socketOf } from './configs.ts';

export interface NodeOptions {
  readonly cluster: Cluster;
  readonly kubelet: string;
  /** The folder of the CNI plugins. */
  readonly plugins: string;
  /** Of the kubelet; seconds. */
  readonly longestBackOff: number;
  /** Writes the archives of the images that the node starts with into a folder, as `*.tar`. */
  readonly packImages: (folder: string) => Promise<unknown>;
  /** Default: the pods use the network of the host. */
  readonly network?: PodNetwork;
  readonly signal: AbortSignal;
}

/** A node of a cluster: a real kubelet and containerd, in their own Linux namespaces and folders. */
export interface ClusterNode {
  /** The folder with the logs of the pods, in folders of their own. */
  readonly logs: string;
  /** The socket of its containerd, for `ctr`. */
  readonly socket: string;
  /** Rejects when the node ends before `stop`. */
  readonly failed: Promise<never>;
  /** Ends its processes, removes its files, and resolves when that is done. */
  stop(): Promise<void>;
}

const Node = z.looseObject({
  status: z.looseObject({ conditions: z.array(Condition).optional() }),
  spec: z.looseObject({ taints: z.array(z.unknown()).optional() }),
});

/** Starts a node, and resolves when pods can be scheduled to it. */
export async function startNode(options: NodeOptions): Promise<ClusterNode> {
  const { cluster, kubelet, network, signal } = options;
  const folder = await mkdtemp(join(tmpdir(), 'weeder-node-'));
  try {
    await prepare(folder, options);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  // Detached, so that the Ctrl-C that ends the benchmark does not end the cleanup.
  const flags = network === undefined ? [] : [`--node-ip=${network.node}`];
  const child = spawn('bash', [join(import.meta.dirname, 'supervise.sh'), folder, kubelet, ...flags], {
    stdio: ['pipe', process.stderr, process.stderr],
    detached: true,
  });
  const ended = Promise.withResolvers<void>();
  let isStopping = false;
  let hasEnded = false;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  child.once('exit', (code) => {
    hasEnded = true;
    ended.resolve();
    if (!isStopping) failure.reject(new SetupProblem(`The node ended (exit code ${code}); its logs are above.`));
  });
  // The pipe breaks when the node ends unexpectedly.
  child.stdin.on('error', () => {});
  const stop = async (words = ''): Promise<void> => {
    isStopping = true;
    child.stdin.end(words);
    await ended.promise;
  };
  try {
    await Promise.race([untilReady(cluster, () => hasEnded || signal.aborted), failure.promise]);
    signal.throwIfAborted();
  } catch (error) {
    await stop(signal.aborted ? '' : 'show the logs\n');
    throw error;
  }
  return { logs: logsFolder(folder), socket: socketOf(folder), failed: failure.promise, stop: () => stop() };
}

async function prepare(folder: string, options: NodeOptions): Promise<void> {
  const { cluster, plugins, longestBackOff, network, packImages } = options;
  const [port = 0] = await freePorts(1);
  await mkdir(join(folder, 'cni'));
  await writeFile(join(folder, 'cni', '10-pods.conflist'), cniConfig(network));
  await writeFile(join(folder, 'containerd.toml'), containerdConfig(folder, plugins));
  await writeFile(join(folder, 'kubelet.json'), kubeletConfig(folder, port, longestBackOff, network));
  await writeFile(join(folder, 'kubeconfig'), await readFile(cluster.kubeconfigFor('admin')), { mode: 0o600 });
  await packImages(folder);
}

async function untilReady(cluster: Cluster, isCancelled: () => boolean): Promise<void> {
  const isReady = async (record: (seen: unknown) => void): Promise<boolean> => {
    // The caller no longer waits.
    if (isCancelled()) return true;
    const response = await cluster.send('GET', '/api/v1/nodes/node');
    if (response.status !== 200) return false;
    const { spec, status } = Node.parse(response.body);
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    record(ready?.['message']);
    return ready?.status === 'True' && (spec.taints ?? []).length === 0;
  };
  const options = { what: 'a node that is ready', within: 60_000, every: 100 };
  await eventually(isReady, options).catch((error: unknown) => {
    throw new SetupProblem(`${error instanceof Error ? error.message : error}; its logs are above.`);
  });
}
