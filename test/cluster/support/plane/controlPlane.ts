import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streamsLists } from '../../../support/api/watchList.ts';
import { eventually, type Saw } from '../eventually.ts';
import { apiServerFlags, controllerManagerFlags, etcdFlags, serviceAccountFlags } from '../flags.ts';
import { connect } from './access.ts';
import { type Assets, findAssets } from './assets.ts';
import { tokenFor, writeCredentials } from './credentials.ts';
import { httpClient } from './http.ts';
import { freePorts } from './ports.ts';
import { guardFolder, type ManagedProcess, SetupProblem, startProcess } from './process.ts';

export interface ControlPlaneOptions {
  /** Additional flags, such as `--min-request-timeout=5`. They take precedence over the usual ones. */
  readonly apiServerFlags?: readonly string[];
  /** Whether kube-controller-manager runs. Default true. */
  readonly controllerManager?: boolean;
  readonly controllerManagerFlags?: readonly string[];
  /** An address at which pods reach the API server, each with its service account. Default: no pods run. */
  readonly addressForPods?: string;
}

/** A control plane whose servers the caller may stop. */
export type ControlPlane = Awaited<ReturnType<typeof assemble>>;

/**
 * Starts etcd, kube-apiserver and kube-controller-manager on free ports, of 127.0.0.1 by default, with their data in a
 * temporary folder, which takes about 4 s. They end with `stop()`, or when this process ends.
 * `node test/cluster/support/start.ts` does the same for manual tests.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = await findAssets();
  const dir = await mkdtemp(join(tmpdir(), 'weeder-cluster-'));
  const removeFolder = guardFolder(dir);
  const running = new Map<string, ManagedProcess>();
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((server) => server.kill()));
    removeFolder();
  };
  try {
    return await assemble(assets, dir, options, running, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  assets: Assets,
  dir: string,
  options: ControlPlaneOptions,
  running: Map<string, ManagedProcess>,
  stop: () => Promise<void>,
) {
  const [etcdPort = 0, peerPort = 0, apiPort = 0, managerPort = 0] = await freePorts(4);
  const { addressForPods } = options;
  const credentials = writeCredentials(dir);
  const [etcdUrl, url, token] = [
    loopback('http', etcdPort),
    addressForPods === undefined ? loopback('https', apiPort) : `https://${addressForPods}:${apiPort}`,
    tokenFor('admin', credentials.secret),
  ];
  const start = (name: string, binary: string, flags: readonly string[]): ManagedProcess => {
    const server = startProcess(dir, name, binary, flags);
    running.set(name, server);
    return server;
  };
  const startApiServer = async (): Promise<ManagedProcess> => {
    const flags = apiServerFlags({ dir, port: apiPort, etcdUrl, addressForPods, ...credentials });
    const gates = streamsLists() ? [] : ['--feature-gates=WatchList=false'];
    const server = start('kube-apiserver', assets.apiServer, [...flags, ...gates, ...(options.apiServerFlags ?? [])]);
    await ready(server, `${url}/readyz`, { caFile: join(dir, 'apiserver.crt'), token });
    return server;
  };

  const startEtcd = async (): Promise<ManagedProcess> => {
    const server = start('etcd', assets.etcd, etcdFlags(dir, etcdUrl, loopback('http', peerPort)));
    await ready(server, `${etcdUrl}/health`);
    return server;
  };
  const [data, backup] = [join(dir, 'etcd'), join(dir, 'etcd-backup')];

  let etcd = await startEtcd();
  let apiServer = await startApiServer();
  const ca = readFileSync(join(dir, 'apiserver.crt'), 'utf8');
  const cluster = connect({ dir, url, ca, secret: credentials.secret, etcdUrl });
  if (options.controllerManager !== false) {
    const flags = controllerManagerFlags(dir, managerPort, cluster.kubeconfigFor('admin'));
    const forPods = addressForPods === undefined ? [] : serviceAccountFlags(dir);
    const managerFlags = [...flags, ...forPods, ...(options.controllerManagerFlags ?? [])];
    const manager = start('kube-controller-manager', assets.controllerManager, managerFlags);
    await ready(manager, `${loopback('https', managerPort)}/healthz`, {
      caFile: join(dir, 'kube-controller-manager.crt'),
    });
  }
  return {
    ...cluster,
    /** Sends SIGKILL, which closes every connection. etcd continues. */
    killApiServer: () => apiServer.kill(),
    /** Restarts the API server on the same port with the same data, and resolves when it is ready. */
    startApiServer: async () => {
      if (!apiServer.isRunning()) apiServer = await startApiServer();
    },
    /** Sends SIGSTOP. Connections stay open without answers until `resumeApiServer`. */
    pauseApiServer: () => apiServer.pause(),
    resumeApiServer: () => apiServer.signal('SIGCONT'),
    apiServerPid: () => apiServer.pid,
    /** Copies the data of etcd. Requests wait meanwhile. */
    backUpEtcd: async () => {
      await etcd.pause();
      await cp(data, backup, { recursive: true });
      etcd.signal('SIGCONT');
    },
    /** Kills etcd, replaces its data by those of the backup, and restarts it. */
    restoreEtcd: async () => {
      await etcd.kill();
      await rm(data, { recursive: true });
      await cp(backup, data, { recursive: true });
      etcd = await startEtcd();
    },
    /** Returns the last lines of the log of a server. */
    log: (server: 'etcd' | 'kube-apiserver' | 'kube-controller-manager', lines?: number) =>
      running.get(server)?.tail(lines) ?? '(not started)',
    /** Ends all processes, and removes the temporary folder. */
    stop,
  };
}

function loopback(scheme: string, port: number): string {
  return `${scheme}://127.0.0.1:${port}`;
}

/** Waits until `url` answers 200. Reads the certificate for each try, because the server writes it at its start. */
async function ready(
  server: ManagedProcess,
  url: string,
  { caFile, token }: { caFile?: string; token?: string } = {},
): Promise<void> {
  const { origin, pathname } = new URL(url);
  const attempt = async (saw: Saw): Promise<string | false> => {
    if (!server.isRunning()) return `${server.name} ${await server.exited}`;
    const client = httpClient(origin, caFile === undefined ? undefined : readFileSync(caFile, 'utf8'));
    const answer = await client
      .send('GET', pathname, token === undefined ? {} : { token })
      .finally(() => client.close());
    saw([answer.status, answer.body]);
    return answer.status === 200 && 'ready';
  };
  const how = await eventually(attempt, { what: `${server.name} ready at ${url}`, every: 25 }).catch(String);
  if (how !== 'ready') throw new SetupProblem(`${how}; its log ends:\n${server.tail()}`);
}
