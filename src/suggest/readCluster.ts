import { arrayOf, type JsonObject, objectOf, ok, type Result } from '@weeder/kube-runtime/base';
import {
  apiPath,
  controllerOf,
  placeSuffix,
  placesOf,
  workloadKindNames,
  workloadsPath,
} from '@weeder/kube-runtime/objects';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { type SourceKind, type SourceRef, sourceKey } from '../restart/references/refs.ts';
import { type FailingPod, failingPod } from './messages/failingPods.ts';
import {
  type Observed,
  type ObservedService,
  type ObservedWorkload,
  readObjects,
  type SearchedKind,
  searchedKinds,
} from './observed.ts';
import { sourceUsesOf } from './sourceUses.ts';

/** The requests that a search needs. */
interface ClusterReader {
  /** Reads a complete list into the sink of the stream. */
  readonly read: (stream: StreamNeed) => Promise<Result<unknown>>;
  /** The kinds of sources that are read. */
  readonly kinds: readonly SourceKind[];
  /** The kinds of workloads that are read. Left out: all that are searched. */
  readonly workloads?: readonly SearchedKind[];
  /** The ConfigMap or Secret; undefined if it does not exist, or may not be read. */
  readonly readSource: (source: SourceRef) => Promise<Result<JsonObject | undefined>>;
  /** Also search for failing pods, and read the Services of all namespaces, because those that they name are elsewhere. */
  readonly withFailingPods?: boolean;
}

/** What a cluster has to search, without the pods that a controller has created. */
interface SearchedCluster {
  /** The Services and workloads, as the API serves them. */
  readonly objects: readonly JsonObject[];
  readonly observed: Observed;
  /** Those that a controller has created, too. */
  readonly failingPods: readonly FailingPod[];
}

/** The number of ConfigMaps and Secrets that are read concurrently. */
const concurrency = 8;

/** Reads Services and workloads, and of the kinds of sources what the workloads use, each by its name. */
export async function readCluster(
  namespaces: 'all' | readonly string[],
  { read, kinds, workloads = searchedKinds, readSource, withFailingPods = false }: ClusterReader,
): Promise<Result<SearchedCluster>> {
  const objects: JsonObject[] = [];
  const found: { readonly services: ObservedService[]; readonly workloads: ObservedWorkload[] } = {
    services: [],
    workloads: [],
  };
  const failingPods: FailingPod[] = [];
  /** Each object is read when it arrives: all of a cluster together would take long. */
  const add = (object: JsonObject, kind: string) => {
    const failing = withFailingPods && kind === 'Pod' ? failingPod(object) : undefined;
    if (failing !== undefined) failingPods.push(failing);
    if (isCreatedPod(kind, object)) return;
    objects.push(object);
    const read = readObjects([object]);
    found.services.push(...read.services);
    found.workloads.push(...read.workloads);
  };
  const needs = placesOf(namespaces).flatMap((namespace) => needsIn(namespace, workloads, add));
  if (withFailingPods && namespaces !== 'all') needs.push(servicesBeside(namespaces, add));
  for (const need of needs) {
    const list = await read(need);
    if (!list.ok) return list;
  }
  const used = kinds.length === 0 ? [] : sourcesOf(found.workloads, kinds);
  const answers = await readSources(used, readSource);
  if (!answers.ok) return answers;
  const { sources } = readObjects(answers.value, kinds);
  return ok({ objects, observed: { ...found, sources }, failingPods });
}

async function readSources(
  sources: readonly SourceRef[],
  readSource: ClusterReader['readSource'],
): Promise<Result<JsonObject[]>> {
  const objects: JsonObject[] = [];
  for (let index = 0; index < sources.length; index += concurrency) {
    const batch = sources.slice(index, index + concurrency);
    const answers = await Promise.all(
      batch.map(async ({ kind, ...ref }) => [kind, await readSource({ kind, ...ref })] as const),
    );
    for (const [kind, answer] of answers) {
      if (!answer.ok) return answer;
      if (answer.value !== undefined) objects.push({ ...answer.value, kind });
    }
  }
  return ok(objects);
}

type Add = (object: JsonObject, kind: string) => void;

function needsIn(namespace: string | undefined, workloads: readonly SearchedKind[], add: Add): StreamNeed[] {
  const others = workloads.map((kind) => needOf(kind, pathOf(kind, namespace), namespace, add));
  return [servicesIn(namespace, add), ...others];
}

function servicesIn(namespace: string | undefined, add: Add): StreamNeed {
  return needOf('Service', apiPath('v1', 'services', { namespace }), namespace, add);
}

/** The Services of the other namespaces. */
function servicesBeside(namespaces: readonly string[], add: Add): StreamNeed {
  return servicesIn(undefined, (object, kind) => {
    const { namespace } = objectOf(object['metadata']);
    if (!namespaces.some((each) => each === namespace)) add(object, kind);
  });
}

function needOf(kind: string, path: string, namespace: string | undefined, add: Add): StreamNeed {
  return {
    name: `${path.slice(path.lastIndexOf('/') + 1)}${placeSuffix(namespace)}`,
    kind,
    path,
    labelSelector: '',
    // Values of variables may be credentials: with this, no error quotes the response.
    reduce,
    sink: { begin: () => {}, apply: (_type, object) => add(objectOf(object), kind), end: () => {} },
  };
}

function pathOf(kind: SearchedKind, namespace: string | undefined): string {
  const workloadKind = workloadKindNames.find((each) => each === kind);
  if (workloadKind !== undefined) return workloadsPath(workloadKind, namespace);
  return apiPath(kind === 'ReplicaSet' ? 'apps/v1' : 'v1', `${kind.toLowerCase()}s`, { namespace });
}

/** Most pods of a cluster: they need not be held. */
function isCreatedPod(kind: string, { metadata }: JsonObject): boolean {
  return kind === 'Pod' && controllerOf(objectOf(metadata)) !== undefined;
}

/** Without most of the status, and without who set which field: half of an object. */
function reduce({ kind, metadata, spec, status }: JsonObject): JsonObject {
  const { conditions, phase, initContainerStatuses, containerStatuses } = objectOf(status);
  const { managedFields: _, ...own } = objectOf(metadata);
  const kept = { phase, conditions: arrayOf(conditions), initContainerStatuses, containerStatuses };
  return { kind, metadata: own, spec, status: kept };
}

function sourcesOf(workloads: readonly ObservedWorkload[], kinds: readonly SourceKind[]): SourceRef[] {
  const sources = workloads.flatMap((workload) => sourceUsesOf(workload, kinds).map(({ source }) => source));
  return [...new Map(sources.map((source) => [sourceKey(source), source])).values()];
}
