import type { JsonObject } from '@weeder/kube-runtime/base';
import { ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { listPages } from '@weeder/kube-runtime/watch';
import { printable } from '../base/printable.ts';
import type { Config } from '../config/config.ts';
import { includesName } from '../config/scopes.ts';
import { type ExplainedService, explainedServices } from '../explain/explainedServices.ts';
import { explainOtherTools } from '../explain/explainOtherTools.ts';
import { explainDeclarations, explainService } from '../explain/explainService.ts';
import { explainWebhooks } from '../explain/explainWebhooks.ts';
import {
  type ExplainedWorkload,
  explainedWorkload,
  explainHashKey,
  explainWorkload,
} from '../explain/explainWorkload.ts';
import { externalNamesOf } from '../explain/externalNames.ts';
import { type ClusterView, inspectCluster, type ReadStream } from '../explain/inspectCluster.ts';
import { inspectWorkloads, type WorkloadsView } from '../explain/inspectWorkloads.ts';
import { workloadKey } from '../restart/references/refs.ts';
import { declarationProblems } from '../suggest/misplacedDeclarations.ts';
import { readCluster } from '../suggest/readCluster.ts';
import { loadConfig } from './configFile.ts';
import { connect, interactive } from './connect.ts';
import { printData } from './data/printData.ts';
import type { Content } from './data/shapes.ts';
import { selectedNamespaces } from './explain/selectedNamespaces.ts';
import type { OutputFlag } from './flags/outputFlag.ts';
import { namespacesOf, type ReadFlags } from './flags/readFlags.ts';
import { fail, print } from './output.ts';
import { createPrintedReader } from './printedReader.ts';

type ExplainFlags = ReadFlags & OutputFlag & { readonly configFile?: string };

/** A section of the output: a service, a workload, or another text. */
type Section = { readonly service: ExplainedService } | { readonly workload: ExplainedWorkload } | string;

/**
 * `weeder explain`: the state of each configured or declared service and what weeder would do in a window; and for each workload of
 * restart control, what it uses and whether it would be restarted.
 */
export async function explain(flags: ExplainFlags): Promise<number> {
  const config = await loadConfig('explain', flags.configFile);
  if (!config.ok) return fail(config.error);
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return fail(client.error);
  const namespaces = namespacesOf(flags);
  const reader = createPrintedReader(client.value, namespaces);
  const sections = await explainAll(config.value, client.value, namespaces, reader.read);
  const selected = sections.ok ? await selectedNamespaces(client.value) : undefined;
  await client.value.close();
  if (!sections.ok) return fail(sections.error);
  const { output } = flags;
  const note = selected && `the weeder of the cluster acts only in ${selected.inWords}, by its flags`;
  const all = [...sections.value, ...(note === undefined ? [] : [note])];
  return reader.report(() => {
    if (output === undefined) print(all.map(textOf).join('\n\n'));
    else printData('Explanation', contentOf(all), output);
  });
}

function textOf(section: Section): string {
  if (typeof section === 'string') return section;
  return 'service' in section ? explainService(section.service) : explainWorkload(section.workload);
}

function contentOf(sections: readonly Section[]): Content<'Explanation'> {
  const objects = sections.filter((section) => typeof section !== 'string');
  return {
    services: objects.flatMap((section) => ('service' in section ? section.service : [])),
    workloads: objects.flatMap((section) => {
      if (!('workload' in section)) return [];
      const { ref, state, details } = section.workload;
      return { kind: ref.kind, namespace: ref.namespace, name: ref.name, state, details };
    }),
    remarks: sections.filter((section) => typeof section === 'string'),
  };
}

/** Sections that the config does not have cause no requests. */
async function explainAll(
  config: Config,
  client: KubeClient,
  namespaces: 'all' | readonly string[],
  read: ReadStream,
): Promise<Result<Section[]>> {
  const hasServices = config.services.size > 0 || config.declared !== undefined || config.podCreation !== undefined;
  const view = hasServices ? await inspectCluster(config, namespaces, read) : undefined;
  if (view?.ok === false) return view;
  const { restart } = config;
  const workloads =
    restart === undefined ? undefined : await inspectWorkloads({ ...config, restart }, client, namespaces, read);
  if (workloads?.ok === false) return workloads;
  const objects = hasServices ? await readableObjects(client, namespaces, config.declared !== undefined) : [];
  return ok([
    ...(view === undefined ? [] : sectionsOf(view.value, objects)),
    ...unseenDeclarations(config, objects),
    ...(workloads === undefined ? [] : explainWorkloads(workloads.value, Date.now())),
  ]);
}

function sectionsOf(view: ClusterView, objects: readonly JsonObject[]): Section[] {
  const services = explainedServices(view, externalNamesOf(objects)).map((service) => ({ service }));
  return [...services, ...explainDeclarations(view), ...explainWebhooks(view)];
}

function unseenDeclarations({ declared }: Config, objects: readonly JsonObject[]): string[] {
  const from = declared?.namespaces ?? [];
  const unseen = declarationProblems(objects).filter(
    ({ type, namespace }) => type === 'unseen' && includesName(from, namespace),
  );
  return unseen.length === 0 ? [] : [unseen.map(({ text }) => printable(text)).join('\n')];
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

function explainWorkloads(view: WorkloadsView, now: number): Section[] {
  const { workloads, summaries } = view;
  const sorted = workloads
    .map((workload) => ({ workload, ref: workloadKey(workload.summary.ref) }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  return [
    ...explainHashKey(view),
    ...sorted.map(({ workload }) => ({ workload: explainedWorkload(workload, now) })),
    ...(sorted.length === 0 ? ['restart control manages no workload that is watched'] : []),
    ...explainOtherTools(summaries),
  ];
}
