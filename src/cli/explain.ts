import type { JsonObject } from '@weeder/kube-runtime/base';
import { ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { listPages } from '@weeder/kube-runtime/watch';
import { printable } from '../base/printable.ts';
import type { Config } from '../config/config.ts';
import { includesName } from '../config/scopes.ts';
import { explainOtherTools } from '../explain/explainOtherTools.ts';
import { explainServices } from '../explain/explainService.ts';
import { explainWebhooks } from '../explain/explainWebhooks.ts';
import { explainHashKey, explainWorkload } from '../explain/explainWorkload.ts';
import { externalNamesOf } from '../explain/externalNames.ts';
import { inspectCluster, type ReadStream } from '../explain/inspectCluster.ts';
import { inspectWorkloads, type WorkloadsView } from '../explain/inspectWorkloads.ts';
import { workloadKey } from '../restart/references/refs.ts';
import { declarationProblems } from '../suggest/misplacedDeclarations.ts';
import { readCluster } from '../suggest/readCluster.ts';
import { loadConfig } from './configFile.ts';
import { connect, interactive } from './connect.ts';
import type { ClusterFlags } from './flags/runFlags.ts';
import { fail, print } from './output.ts';
import { createPrintedReader } from './printedReader.ts';

/**
 * `weeder explain`: the state of each configured or declared service and what weeder would do in a window; and for each workload of
 * restart control, what it uses and whether it would be restarted.
 */
export async function explain(flags: ClusterFlags & { readonly configFile?: string }): Promise<number> {
  const config = await loadConfig('explain', flags.configFile);
  if (!config.ok) return fail(config.error);
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return fail(client.error);
  const reader = createPrintedReader(client.value);
  const sections = await explainAll(config.value, client.value, flags.namespaces ?? 'all', reader.read);
  await client.value.close();
  if (!sections.ok) return fail(sections.error);
  return reader.report(() => print(sections.value.join('\n\n')));
}

/** Sections that the config does not have cause no requests. */
async function explainAll(
  config: Config,
  client: KubeClient,
  namespaces: 'all' | readonly string[],
  read: ReadStream,
): Promise<Result<string[]>> {
  const hasServices = config.services.size > 0 || config.declared !== undefined || config.podCreation !== undefined;
  const view = hasServices ? await inspectCluster(config, namespaces, read) : undefined;
  if (view?.ok === false) return view;
  const { restart } = config;
  const workloads =
    restart === undefined ? undefined : await inspectWorkloads({ ...config, restart }, client, namespaces, read);
  if (workloads?.ok === false) return workloads;
  const objects = hasServices ? await readableObjects(client, namespaces, config.declared !== undefined) : [];
  const from = config.declared?.namespaces ?? [];
  const unseen = declarationProblems(objects).filter(
    ({ type, namespace }) => type === 'unseen' && includesName(from, namespace),
  );
  return ok([
    ...(view === undefined ? [] : explainServices(view.value, externalNamesOf(objects))),
    ...(view === undefined ? [] : explainWebhooks(view.value)),
    ...(unseen.length === 0 ? [] : [unseen.map(({ text }) => printable(text)).join('\n')]),
    ...(workloads === undefined ? [] : explainWorkloads(workloads.value, Date.now())),
  ]);
}

/** The Services, and the workloads if they count, as far as they may be read: weeder itself reads none of them. */
async function readableObjects(
  client: KubeClient,
  namespaces: 'all' | readonly string[],
  withWorkloads: boolean,
): Promise<readonly JsonObject[]> {
  const read = async (need: StreamNeed) => {
    if (need.kind === 'Service' || withWorkloads) await listPages(client, need, AbortSignal.timeout(60_000));
    return ok(undefined);
  };
  const cluster = await readCluster(namespaces, { read, kinds: [], readSource: async () => ok(undefined) });
  return cluster.ok ? cluster.value.objects : [];
}

function explainWorkloads(view: WorkloadsView, now: number): string[] {
  const { workloads, ofOtherTools } = view;
  const sorted = workloads
    .map((workload) => ({ workload, ref: workloadKey(workload.summary.ref) }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  return [
    ...explainHashKey(view),
    ...sorted.map(({ workload }) => explainWorkload(workload, now)),
    ...(sorted.length === 0 ? ['restart control manages no workload that is watched'] : []),
    ...explainOtherTools(ofOtherTools),
  ];
}
