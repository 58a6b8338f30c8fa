import { objectOf, ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import { type LabelSelector, labelsOf, matchesSelector, namespaceOf } from '@weeder/kube-runtime/objects';
import type { ObjectSink, StreamNeed } from '@weeder/kube-runtime/watch';
import { type Config, distinctSelectors, type Webhooks } from '../config/config.ts';
import { includesName } from '../config/scopes.ts';
import { lookupOf, type ServiceLookup, withDeclared, withWebhooks } from '../config/serviceLookup.ts';
import type { Claim } from '../weeder/declared/claims.ts';
import { groupsOfDeclared } from '../weeder/declared/declaration.ts';
import { createDeclarations } from '../weeder/declared/declarations.ts';
import { deleteNothing } from '../weeder/deletions/deletePod.ts';
import { readNoLog } from '../weeder/deletions/readLog.ts';
import { type PodWebhook, podWebhooksOf, servicesByWebhook, webhookStreams } from '../weeder/owners/webhooks.ts';
import type { Scope } from '../weeder/pods/podIndex.ts';
import { createOutages, type Outages } from '../weeder/services/outages.ts';
import { isOfDeclarations } from '../weeder/streamPlan.ts';
import { streamsOf } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';

/** Reads the complete list of a stream into its sink. */
export type ReadStream = (stream: StreamNeed) => Promise<Result<undefined>>;

/** The result of one complete list of every stream. */
export interface ClusterView {
  /** The config with the services that pods declare. */
  readonly config: Config;
  readonly services: ServiceLookup;
  readonly weeder: Weeder;
  /** The number of pods that each podSelector selects, by its canonical text. */
  readonly pods: ReadonlyMap<string, PodCounts>;
  /** The number of pods that declare each service. */
  readonly declaredPods: PodCounts;
  /** What pods declare, and what is wrong with it. */
  readonly claims: readonly Claim[];
  /** Another service for which a deletion of the pod waits in a window of this one, if weeder has seen it ready. */
  readonly heldBy: Outages['heldBy'];
}

/** Reads every stream once, through the same sinks that `run` uses. */
export async function inspectCluster(
  given: Config,
  namespaces: 'all' | readonly string[],
  read: ReadStream,
): Promise<Result<ClusterView>> {
  const weeder = createWeeder({
    config: given,
    runtime: { clock: systemClock },
    deletePod: deleteNothing,
    readLog: readNoLog,
    readySince: async () => undefined,
    report: () => {},
    concurrentDeletions: 1,
    isDryRun: true,
    random: Math.random,
  });
  const declarations = createDeclarations({
    clock: systemClock,
    keepFor: () => 0,
    isNamespaceWatched: (namespace) => includesName(namespaces, namespace),
    onChanged: () => {},
    onListed: () => {},
  });
  const declaredPods = countPods(groupsOfDeclared);
  for (const { sink, ...stream } of streamsOf(weeder, given, namespaces)) {
    if (!isOfDeclarations(stream.name)) continue;
    const list = await read({ ...stream, sink: declarations.beside(stream.name, declaredPods.beside(sink)) });
    if (!list.ok) return list;
  }
  const from = given.declared?.namespaces ?? [];
  const claims = [...declarations.claims()].filter(({ workload }) => includesName(from, workload.namespace));
  const services = claims.flatMap(({ about }) => ('service' in about ? about.service : []));
  const webhooks = given.podCreation === undefined ? ok(new Map()) : await readWebhooks(read);
  if (!webhooks.ok) return webhooks;
  const config = withWebhooks(withDeclared(given, new Set(services)), webhooks.value);
  weeder.configure(config);

  const pods = new Map(
    [...distinctSelectors(config)].map(([text, selector]) => [text, countPods(selectedBy(selector))]),
  );
  for (const stream of streamsOf(weeder, config, namespaces)) {
    if (isOfDeclarations(stream.name)) continue;
    const list = await read(counting(stream, pods));
    if (!list.ok) return list;
  }
  const heldBy = heldByOutages(weeder);
  return ok({ config, services: lookupOf(config), weeder, pods, declaredPods, claims, heldBy });
}

async function readWebhooks(read: ReadStream): Promise<Result<Webhooks>> {
  const found: PodWebhook[] = [];
  const sink: ObjectSink = {
    begin() {},
    apply: (_type, object) => found.push(...podWebhooksOf(objectOf(object))),
    end() {},
  };
  for (const stream of webhookStreams) {
    const list = await read({ ...stream, sink });
    if (!list.ok) return list;
  }
  return ok(servicesByWebhook(found));
}

/** A list does not show which of the services that are down have been ready before: each counts. */
function heldByOutages(weeder: Weeder): Outages['heldBy'] {
  const outages = createOutages({
    isWatched: () => true,
    heldDependantsOf: weeder.heldDependantsOf,
    declaredGroupsOf: (uid) => weeder.declaredPods.groupsOf(uid),
    onChanged: () => {},
  });
  for (const service of weeder.slices.services()) if (!service.isReady) outages.began(service, true);
  return outages.heldBy;
}

/** The stream of one selector is counted for that selector, the stream of all pods for every selector. */
function counting(stream: StreamNeed, pods: ReadonlyMap<string, PodCounts>): StreamNeed {
  if (stream.kind !== 'Pod') return stream;
  const selected = [...pods].filter(([text]) => stream.labelSelector === '' || stream.labelSelector === text);
  return { ...stream, sink: selected.reduce((sink, [, counts]) => counts.beside(sink), stream.sink) };
}

/** Counts the pods that pass through a sink, by group. */
export interface PodCounts {
  /** Returns a sink that passes everything on to `sink` and counts it. */
  beside(sink: ObjectSink): ObjectSink;
  /** Counts the pods in these groups, or in all groups. */
  total(scope: Scope): number;
}

/** A pod is in the group of its namespace if the selector selects it. */
function selectedBy(selector: LabelSelector): (pod: unknown) => readonly string[] {
  return (pod) => (matchesSelector(selector, labelsOf(pod)) ? [namespaceOf(pod)] : []);
}

function countPods(groupsOf: (pod: unknown) => readonly string[]): PodCounts {
  const counts = new Map<string, number>();
  return {
    beside: (sink) => ({
      begin: () => sink.begin(),
      apply(type, object) {
        for (const group of groupsOf(object)) counts.set(group, (counts.get(group) ?? 0) + 1);
        sink.apply(type, object);
      },
      end: () => sink.end(),
    }),
    total(scope) {
      const selected = scope === 'all' ? [...counts.values()] : scope.map((name) => counts.get(name) ?? 0);
      return selected.reduce((sum, count) => sum + count, 0);
    },
  };
}
