import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { inParallel } from '../../src/base/promises.ts';
import { newNamespace } from '../../test/cluster/support/namespace.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { monotonic } from '../support/processFigures.ts';
import {
  type BenchManifest,
  editOf,
  keyOf,
  manifestsOf,
  namespaceOf,
  observerSchemaOf,
  pathOf,
  type Round,
} from './driftManifests.ts';
import type { DriftWatching } from './driftWatching.ts';

const concurrency = 32;
const strategicPatch = 'application/strategic-merge-patch+json';
const mergePatch = 'application/merge-patch+json';
const timeoutMs = 300_000;

/** Creates the namespaces, each with the account that applies in it. */
export async function createNamespaces(cluster: Cluster, applications: number): Promise<void> {
  const names = new Set(Array.from({ length: applications }, (_, index) => namespaceOf(index)));
  await inParallel([...names], concurrency, async (name) => {
    await newNamespace(cluster, name, { after: () => {} });
    await cluster.api('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  });
  await cluster.api('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'applications' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  });
}

/** Creates the CustomResourceDefinition and the applications. None of their objects are applied yet. */
export async function createApplications(
  cluster: Cluster,
  applications: number,
  perApplication?: number,
): Promise<void> {
  const [file = ''] = globSync('deploy/components/*/crd.yaml', { cwd: checkout });
  const definition: unknown = parse(readFileSync(join(checkout, file), 'utf8'));
  await cluster.api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const path = (application: number) => `/apis/weeder.dev/v1alpha1/namespaces/${namespaceOf(application)}/applications`;
  while ((await cluster.send('GET', path(0))).status !== 200) await pause(100);
  const numbers = Array.from({ length: applications }, (_, index) => index);
  await inParallel(numbers, concurrency, async (index) => {
    const spec = {
      manifests: manifestsOf(index, perApplication),
      observerSchema: observerSchemaOf(index, perApplication),
    };
    const body = { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata: { name: `app-${index}` }, spec };
    await cluster.api('POST', path(index), body);
  });
}

const checkout = join(import.meta.dirname, '../..');

/** The times from sending each edit to the correction, as the watcher saw it. Milliseconds. */
export interface Corrected {
  readonly times: readonly number[];
  /** From the first edit to the last correction. `edits`: to the response to the last edit. */
  readonly total: number;
  readonly edits: number;
}

/** Edits these concurrently, and waits until all are corrected. Throws if they are not. */
export async function driftTogether(
  cluster: Cluster,
  watching: DriftWatching,
  manifests: readonly BenchManifest[],
  round: Round,
): Promise<Corrected> {
  // Opens the connections first, because idle ones are closed after some seconds: a handshake is not part of an edit.
  await inParallel(
    Array.from({ length: concurrency }),
    concurrency,
    async () => void (await cluster.send('GET', '/readyz')),
  );
  const sent = new Map<string, number>();
  const from = monotonic();
  await inParallel(manifests, concurrency, async (manifest) => {
    sent.set(keyOf(manifest), monotonic());
    await cluster.api('PATCH', pathOf(manifest), editOf(manifest, round), contentTypeOf(manifest));
  });
  const edits = monotonic() - from;
  const at = await watching.untilCorrected([...sent.keys()], timeoutMs);
  if (at.size < sent.size) {
    const first = [...sent.keys()].find((key) => !at.has(key));
    throw new Error(`${sent.size - at.size} of ${sent.size} were not corrected, such as ${first}`);
  }
  const times = [...sent].map(([key, moment]) => (at.get(key) ?? Number.NaN) - moment);
  return { times, total: Math.max(...at.values()) - from, edits };
}

/** Does the same, one after the other. */
export async function driftSingly(
  cluster: Cluster,
  watching: DriftWatching,
  manifests: readonly BenchManifest[],
  round: Round,
): Promise<Corrected> {
  const from = monotonic();
  const times: number[] = [];
  for (const manifest of manifests) {
    const sent = monotonic();
    const edit = cluster.api('PATCH', pathOf(manifest), editOf(manifest, round), contentTypeOf(manifest));
    const at = await watching.untilCorrected([keyOf(manifest)], timeoutMs);
    await edit;
    const corrected = at.get(keyOf(manifest));
    if (corrected === undefined) throw new Error(`${keyOf(manifest)} was not corrected`);
    times.push(corrected - sent);
    await pause(20);
  }
  return { times, total: monotonic() - from, edits: 0 };
}

function contentTypeOf({ kind }: BenchManifest): string {
  return kind === 'Deployment' ? strategicPatch : mergePatch;
}
