import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Cluster } from '../../test/cluster/support/access.ts';
import { eventually } from '../../test/cluster/support/eventually.ts';
import { Condition } from '../../test/cluster/support/objects.ts';
import { freePorts } from '../../test/cluster/support/ports.ts';
import { SetupProblem } from '../../test/cluster/support/process.ts';
import { cniConfig, containerdConfig, kubeletConfig } from './configs.ts';
import { packImage } from './image.ts';

export interface NodeOptions {
  readonly cluster: Cluster;
  readonly kubelet: string;
  /** The folder of the CNI plugins. */
  readonly plugins: string;
}

/** A node of a cluster: a real kubelet and containerd, with namespaces and folders of their own. */
export interface ClusterNode {
  /** Rejects when the node ends before `stop`. */
  readonly broken: Promise<never>;
  /** Ends every process of it and takes away all that it made; resolves when that is done. */
  stop(): Promise<void>;
}

const Node = z.looseObject({
  status: z.looseObject({ conditions: z.array(Condition).optional() }),
  spec: z.looseObject({ taints: z.array(z.unknown()).optional() }),
});

/** Starts it; resolves when pods can be scheduled to it. */
export async function startNode({ cluster, kubelet, plugins }: NodeOptions): Promise<ClusterNode> {
  const folder = await mkdtemp(join(tmpdir(), 'weeder-node-'));
  try {
    await prepare(folder, cluster, plugins);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  // Detached: the Ctrl-C that ends the benchmark must not end what cleans up after it.
  const child = spawn('bash', [join(import.meta.dirname, 'supervise.sh'), folder, kubelet], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  });
  const ended = Promise.withResolvers<void>();
  let isStopping = false;
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  child.once('exit', (code) => {
    ended.resolve();
    if (!isStopping) broken.reject(new SetupProblem(`The node ended (exit code ${code}).`));
  });
  const stop = async (): Promise<void> => {
    isStopping = true;
    child.stdin.end();
    await ended.promise;
  };
  try {
    await Promise.race([untilReady(cluster, folder), broken.promise]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { broken: broken.promise, stop };
}

async function prepare(folder: string, cluster: Cluster, plugins: string): Promise<void> {
  const [port = 0] = await freePorts(1);
  await mkdir(join(folder, 'cni'));
  await writeFile(join(folder, 'cni', '10-loopback.conflist'), cniConfig());
  await writeFile(join(folder, 'containerd.toml'), containerdConfig(folder, plugins));
  await writeFile(join(folder, 'kubelet.json'), kubeletConfig(folder, port));
  await writeFile(join(folder, 'kubeconfig'), await readFile(cluster.kubeconfigFor('admin')), { mode: 0o600 });
  await packImage(folder);
}

async function untilReady(cluster: Cluster, folder: string): Promise<void> {
  const isReady = async (saw: (seen: unknown) => void): Promise<boolean> => {
    const answer = await cluster.send('GET', '/api/v1/nodes/node');
    saw(answer.body);
    if (answer.status !== 200) return false;
    const { spec, status } = Node.parse(answer.body);
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    return ready?.status === 'True' && (spec.taints ?? []).length === 0;
  };
  try {
    await eventually(isReady, { what: 'a node that is ready', within: 60_000, every: 100 });
  } catch (error) {
    throw new SetupProblem(`The node does not become ready: ${await whatItSaid(folder)}`, { cause: error });
  }
}

async function whatItSaid(folder: string): Promise<string> {
  const logs = ['containerd.log', 'import.log', 'kubelet.log'].map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '(nothing)');
    return `\n${name} ends:\n${text.trimEnd().split('\n').slice(-8).join('\n')}`;
  });
  return (await Promise.all(logs)).join('');
}
