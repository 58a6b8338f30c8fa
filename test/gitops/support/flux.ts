import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { fileEntry, gzip, writeTar } from '../../../scripts/image/tar.ts';
import { type Cleanup, cleanUp } from '../../cluster/support/cleanup.ts';
import { eventually } from '../../cluster/support/eventually.ts';
import { create } from '../../cluster/support/manifests.ts';
import type { TestNamespace } from '../../cluster/support/namespace.ts';
import type { Cluster } from '../../cluster/support/plane/access.ts';
import { builtTools, type ToolModule } from '../../cluster/support/plane/build.ts';
import { freePorts } from '../../cluster/support/plane/ports.ts';
import { startProcess } from '../../cluster/support/plane/process.ts';
import { temporaryFile } from '../../cluster/support/weeder.ts';
import { type Followed, fileOf, type GitOpsTool, type Health } from './gitOpsTool.ts';
import { goModule, installCrdsOf } from './goModule.ts';

const flux: ToolModule = {
  name: 'flux',
  folder: join(import.meta.dirname, '..', 'flux'),
  version: /github\.com\/fluxcd\/kustomize-controller (v[\d.]+)/,
  what: "Flux's kustomize-controller",
  takes: '8 minutes',
};

/**
 * Starts Flux's kustomize-controller. Its source-controller is replaced by a server of archives and by a status of each
 * GitRepository that names the archive of the newest commit.
 */
export async function startFlux(t: Cleanup, cluster: Cluster): Promise<GitOpsTool> {
  const folder = await builtTools(flux);
  const api = await goModule('github.com/fluxcd/source-controller/api', flux.folder);
  await installCrdsOf(
    cluster,
    await goModule(`github.com/fluxcd/source-controller@${api.version}`),
    'config/crd/bases/*',
  );
  await installCrdsOf(
    cluster,
    await goModule('github.com/fluxcd/kustomize-controller', flux.folder),
    'config/crd/bases/*',
  );
  const [metrics = 0, health = 0] = await freePorts(2);
  const dir = temporaryFile('flux');
  mkdirSync(dir);
  const flags = [
    `--metrics-addr=127.0.0.1:${metrics}`,
    `--health-addr=127.0.0.1:${health}`,
    '--enable-leader-election=false',
    // Otherwise a commit is applied when the health checks of the one before have ended.
    '--feature-gates=CancelHealthCheckOnNewRevision=true',
  ];
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfigFor('admin'), RUNTIME_NAMESPACE: 'default', TMPDIR: dir };
  const controller = startProcess(dir, 'kustomize-controller', join(folder, 'kustomize-controller'), flags, { env });
  cleanUp(t, () => controller.kill());
  const archives = await serveArchives(t);
  return {
    manager: 'kustomize-controller',
    keep: { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' },
    follow: (ns, spec = {}) => follow(ns, spec, archives, () => controller.tail(5)),
  };
}

interface Archives {
  /** Returns the address at which this content is served. */
  add(content: Buffer): string;
}

async function serveArchives(t: Cleanup): Promise<Archives> {
  const served = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const content = served.get(url);
    response.writeHead(content === undefined ? 404 : 200).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server of archives has no port');
  return {
    add(content) {
      const path = `/${served.size}.tar.gz`;
      served.set(path, content);
      return `http://127.0.0.1:${address.port}${path}`;
    },
  };
}

async function follow(ns: TestNamespace, spec: JsonObject, archives: Archives, log: () => string): Promise<Followed> {
  const { cluster, name } = ns;
  const repositories = ns.path('apis/source.toolkit.fluxcd.io/v1', 'gitrepositories');
  const kustomizations = ns.path('apis/kustomize.toolkit.fluxcd.io/v1', 'kustomizations');
  let newest = '';
  const metadata = { name, namespace: name };
  const source = { url: 'https://git.invalid', interval: '1h' };
  await create(cluster, { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata, spec: source });
  const sourceRef = { kind: 'GitRepository', name };
  // With an hour, all that happens within a test is a reaction to a commit, or to a request for a comparison.
  const full = { interval: '1h', timeout: '1h', path: './', prune: true, sourceRef, ...spec };
  await create(cluster, { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata, spec: full });

  const status = async () => objectOf(objectOf(await cluster.api('GET', `${kustomizations}/${name}`))['status']);

  async function until(what: string, isMet: (status: JsonObject, ready: JsonObject) => boolean): Promise<void> {
    await eventually(
      async (saw) => {
        const now = await status();
        saw([now, log()]);
        const conditions = arrayOf(now['conditions']).map(objectOf);
        return isMet(now, objectOf(conditions.find(({ type }) => type === 'Ready')));
      },
      { what: `the Kustomization ${name} ${what}` },
    );
  }

  return {
    async commit(...objects) {
      const archive = gzip(writeTar([fileEntry('objects.yaml', fileOf(objects))]));
      const hash = createHash('sha256').update(archive).digest('hex');
      newest = `main@sha1:${hash.slice(0, 40)}`;
      const now = new Date().toISOString();
      const artifact = { digest: `sha256:${hash}`, lastUpdateTime: now, path: name, revision: newest };
      const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: newest, lastTransitionTime: now };
      const body = {
        status: {
          observedGeneration: 1,
          artifact: { ...artifact, url: archives.add(archive), size: archive.length },
          conditions: [{ ...ready, observedGeneration: 1 }],
        },
      };
      await cluster.api('PATCH', `${repositories}/${name}/status`, body);
    },
    untilApplied: () =>
      until('applied', (now, ready) => now['lastAppliedRevision'] === newest && ready['status'] === 'True'),
    async compare() {
      const requestedAt = `${performance.now()}`;
      const annotations = { 'reconcile.fluxcd.io/requestedAt': requestedAt };
      await cluster.api('PATCH', `${kustomizations}/${name}`, { metadata: { annotations } });
      await until('compared', (now) => now['lastHandledReconcileAt'] === requestedAt);
    },
    untilHealth: (health) =>
      until(health, (now, ready) => now['lastAttemptedRevision'] === newest && healthOf(ready) === health),
  };
}

/** The health as `wait: true` determines it. */
function healthOf({ status, reason }: JsonObject): Health | undefined {
  if (status === 'True') return 'healthy';
  if (textOf(reason) === 'HealthCheckFailed') return 'failed';
  return status === 'Unknown' ? 'progressing' : undefined;
}
