import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type Cleanup, cleanUp } from '../../cluster/support/cleanup.ts';
import { eventually } from '../../cluster/support/eventually.ts';
import { create } from '../../cluster/support/manifests.ts';
import { newNamespace, type TestNamespace } from '../../cluster/support/namespace.ts';
import type { Cluster } from '../../cluster/support/plane/access.ts';
import { builtTools, type ToolModule } from '../../cluster/support/plane/build.ts';
import { freePorts } from '../../cluster/support/plane/ports.ts';
import { type ManagedProcess, SetupProblem, startProcess } from '../../cluster/support/plane/process.ts';
import { temporaryFile } from '../../cluster/support/weeder.ts';
import { type Followed, fileOf, type GitOpsTool, type Health } from './gitOpsTool.ts';
import { goModule, installCrdsOf } from './goModule.ts';

const run = promisify(execFile);

const argoCd: ToolModule = {
  name: 'argocd',
  folder: join(import.meta.dirname, '..', 'argocd'),
  version: /github\.com\/argoproj\/argo-cd\/v3 (v[\d.]+)/,
  what: 'Argo CD',
  takes: '8 minutes',
  // Go names the program after its package. It is all of Argo CD's servers: ARGOCD_BINARY_NAME chooses one.
  renamed: { cmd: 'argocd' },
};

const apiVersion = 'argoproj.io/v1alpha1';
const healths: Readonly<Record<string, Health>> = {
  Healthy: 'healthy',
  Progressing: 'progressing',
  Suspended: 'suspended',
  Degraded: 'failed',
};

/** Starts Argo CD's application-controller, repo-server and a Redis. `data`: further keys of the ConfigMap `argocd-cm`. */
export async function startArgoCd(t: Cleanup, cluster: Cluster, data: JsonObject): Promise<GitOpsTool> {
  const program = join(await builtTools(argoCd), 'argocd');
  const sources = await goModule('github.com/argoproj/argo-cd/v3', argoCd.folder);
  await installCrdsOf(cluster, sources, 'manifests/crds/app{lication,project}-crd.yaml');
  const home = await newNamespace(cluster, 'argocd', t);
  await configure(home, data);
  const dir = temporaryFile('argocd');
  mkdirSync(dir);
  // The repo-server calls it for each commit. Files of a Go module are not executable.
  const wrapper = join(dir, 'git-verify-wrapper.sh');
  copyFileSync(join(sources.folder, 'hack', 'git-verify-wrapper.sh'), wrapper);
  chmodSync(wrapper, 0o755);
  const [redis = 0, repoServer = 0, repoMetrics = 0, controllerMetrics = 0] = await freePorts(4);
  const env = {
    ...process.env,
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_ASK_PASS_SOCK: join(dir, 'ask-pass.sock'),
    ARGOCD_PLUGINSOCKFILEPATH: dir,
    ARGOCD_SSH_DATA_PATH: dir,
    ARGOCD_TLS_DATA_PATH: dir,
    HOME: dir,
    PATH: `${dir}:${process.env['PATH']}`,
    KUBECONFIG: cluster.kubeconfigFor('admin'),
    TMPDIR: dir,
  };
  const start = (name: string, binary: string, flags: readonly string[]): ManagedProcess => {
    const server = startProcess(dir, name, binary, flags, { env: { ...env, ARGOCD_BINARY_NAME: name } });
    cleanUp(t, () => server.kill());
    return server;
  };
  start('redis', redisServer(), ['--bind', '127.0.0.1', '--port', `${redis}`, '--save', '', '--appendonly', 'no']);
  const toRedis = `--redis=127.0.0.1:${redis}`;
  const repoFlags = ['--disable-tls', '--client-ca-path=', '--address=127.0.0.1', '--metrics-address=127.0.0.1'];
  const repoPorts = [`--port=${repoServer}`, `--metrics-port=${repoMetrics}`];
  const servers = [start('argocd-repo-server', program, [toRedis, ...repoFlags, ...repoPorts])];
  const toRepoServer = [`--repo-server=127.0.0.1:${repoServer}`, '--repo-server-plaintext'];
  const own = [`--namespace=${home.name}`, `--metrics-port=${controllerMetrics}`];
  servers.push(start('argocd-application-controller', program, [toRedis, ...toRepoServer, ...own]));
  const log = () => servers.map((server) => server.tail(5)).join('\n');
  return {
    manager: 'argocd-controller',
    keep: { 'argocd.argoproj.io/sync-options': 'Prune=false' },
    follow: (ns, spec = {}) => follow(home, ns, spec, log),
  };
}

function redisServer(): string {
  try {
    return execFileSync('which', ['redis-server'], { encoding: 'utf8' }).trim();
  } catch {
    throw new SetupProblem('redis-server is not in PATH: on Debian and Ubuntu it is the package redis-server.');
  }
}

/** Creates what Argo CD's manifests and its API server create. */
async function configure({ cluster, name, path }: TestNamespace, data: JsonObject): Promise<void> {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  await cluster.api('POST', path('api/v1', 'configmaps'), { metadata: { name: 'argocd-cm', labels }, data });
  const stringData = { 'server.secretkey': 'only for tests' };
  await cluster.api('POST', path('api/v1', 'secrets'), { metadata: { name: 'argocd-secret', labels }, stringData });
  const everyKind = { group: '*', kind: '*' };
  const spec = {
    sourceRepos: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [everyKind],
  };
  await create(cluster, { apiVersion, kind: 'AppProject', metadata: { name: 'default', namespace: name }, spec });
}

async function follow(home: TestNamespace, ns: TestNamespace, spec: JsonObject, log: () => string): Promise<Followed> {
  const { cluster } = home;
  const application = home.path(`apis/${apiVersion}`, 'applications', ns.name);
  const repository = temporaryFile('repository');
  const git = async (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    return (await run('git', [...identity, ...args], { cwd: repository })).stdout.trim();
  };
  mkdirSync(repository);
  await git('init', '--quiet', '--initial-branch=main');
  let newest = '';

  async function refresh(): Promise<void> {
    const annotations = { 'argocd.argoproj.io/refresh': 'hard' };
    await cluster.api('PATCH', application, { metadata: { annotations } });
    await until('compared', ({ metadata }) => {
      const left = objectOf(objectOf(metadata)['annotations']);
      return left['argocd.argoproj.io/refresh'] === undefined;
    });
  }

  async function until(what: string, isMet: (application: JsonObject) => boolean): Promise<void> {
    await eventually(
      async (saw) => {
        const now = objectOf(await cluster.api('GET', application));
        saw([now['status'], log()]);
        return isMet(now);
      },
      { what: `the Application ${ns.name} of Argo CD ${what}` },
    );
  }

  return {
    async commit(...objects) {
      writeFileSync(join(repository, 'objects.yaml'), fileOf(objects));
      await git('add', '.');
      await git('commit', '--quiet', '--allow-empty', '--message=test');
      const isFirst = newest === '';
      newest = await git('rev-parse', 'HEAD');
      const source = { repoURL: `file://${repository}`, path: '.', targetRevision: 'main' };
      const destination = { server: 'https://kubernetes.default.svc', namespace: ns.name };
      const syncPolicy = { automated: { prune: true, selfHeal: true }, ...objectOf(spec['syncPolicy']) };
      const full = { project: 'default', source, destination, ...spec, syncPolicy };
      const metadata = { name: ns.name, namespace: home.name };
      if (isFirst) await create(cluster, { apiVersion, kind: 'Application', metadata, spec: full });
      await refresh();
    },
    untilApplied: () =>
      until('applied', ({ operation, status }) => {
        const { sync, operationState } = objectOf(status);
        const { revision, status: compared } = objectOf(sync);
        const { phase } = objectOf(operationState);
        return revision === newest && compared === 'Synced' && operation === undefined && phase === 'Succeeded';
      }),
    compare: refresh,
    untilHealth: (health) =>
      until(health, ({ status }) => {
        const { sync, health: reportedHealth } = objectOf(status);
        const isNewest = objectOf(sync)['revision'] === newest;
        return isNewest && healths[textOf(objectOf(reportedHealth)['status']) ?? ''] === health;
      }),
  };
}
