import {
  isWorkloadKind,
  placeSuffix,
  placesOf,
  workloadKindNames,
  workloadKinds,
  workloadsPath,
} from '@weeder/kube-runtime/objects';
import type { RestartConfig } from '../../config/restart.ts';
import { includesName } from '../../config/scopes.ts';
import { type SourceKind, type SourceRef, sourcePlurals, sourcesPath, type WorkloadRef } from '../references/refs.ts';

/** The scope of a stream. */
export interface WatchedPlace {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: all objects; otherwise only the object of this name. */
  readonly objectName: string | undefined;
}

/** A list+watch stream that restart control needs. */
export type RestartStreamPlan = WatchedPlace & {
  /** The name is unique in the process, and readable in a log line. */
  readonly name: string;
  readonly path: string;
  readonly fieldSelector: string | undefined;
} & ({ readonly isSource: false; readonly kind: string } | { readonly isSource: true; readonly kind: SourceKind });

/** The scope of a stream whose list has been read. */
export type ReadStream = Pick<RestartStreamPlan, 'kind' | 'namespace' | 'objectName'>;

/** Whether this object is in the scope of a stream. */
export function bringsObject(
  stream: ReadStream,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): boolean {
  const isThere = stream.namespace === undefined || stream.namespace === namespace;
  return stream.kind === kind && isThere && (stream.objectName === undefined || stream.objectName === name);
}

const sourceKinds: readonly SourceKind[] = ['ConfigMap', 'Secret'];
/** The API server filters out numerous Secrets that no pod template uses by name. */
const usedSecrets = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token';

/** Returns the kinds that some rule names; a workload of another kind is managed only if its annotation says so. */
export function kindsOfRules({ rules }: Pick<RestartConfig, 'rules'>): ReadonlySet<string> {
  return new Set(rules.flatMap((rule) => [...rule.kinds]));
}

/**
 * Plans streams for the workloads of all kinds, since an annotation can opt in any of them, and for the sources:
 * all of them or, with `access: named`, each used one. The streams are cluster-wide or per namespace; there are none
 * without restart control.
 */
export function planRestartStreams(
  config: RestartConfig | undefined,
  namespaces: 'all' | readonly string[],
  used: Iterable<SourceRef>,
): RestartStreamPlan[] {
  if (config === undefined) return [];
  const places = placesOf(namespaces);
  const workloads = places.flatMap((namespace) => kindsIn(config).map((kind) => workloadsIn(kind, namespace)));
  if (config.access === 'named') {
    const watched = [...used].filter(({ namespace }) => includesName(namespaces, namespace));
    return [...workloads, ...watched.map(sourceNamed)];
  }
  const followed = sourceKinds.filter((kind) => config.sourceKinds.has(kind));
  return [...workloads, ...places.flatMap((namespace) => followed.map((kind) => sourcesIn(kind, namespace)))];
}

/** Returns the names of the streams that would deliver this source: its own, one of its namespace, one of all. */
export function streamsFor(source: SourceRef): readonly string[] {
  const { kind, namespace } = source;
  return [sourceNamed(source), sourcesIn(kind, namespace), sourcesIn(kind, undefined)].map(({ name }) => name);
}

/** Returns the names of the streams that would deliver this workload. */
export function streamsForWorkload({ kind, namespace }: Pick<WorkloadRef, 'kind' | 'namespace'>): readonly string[] {
  return [workloadsIn(kind, namespace), workloadsIn(kind, undefined)].map(({ name }) => name);
}

function kindsIn({ workloadKinds: others }: RestartConfig): readonly string[] {
  return [...workloadKindNames, ...others.map(({ name }) => name)];
}

function workloadsIn(kind: string, namespace: string | undefined): RestartStreamPlan {
  const collection = isWorkloadKind(kind) ? workloadKinds[kind].plural : kind.toLowerCase();
  const name = `${collection}${placeSuffix(namespace)}`;
  const path = workloadsPath(kind, namespace);
  return { isSource: false, kind, namespace, objectName: undefined, name, path, fieldSelector: undefined };
}

function sourcesIn(kind: SourceKind, namespace: string | undefined): RestartStreamPlan {
  const name = `${sourcePlurals[kind]}${placeSuffix(namespace)}`;
  const fieldSelector = kind === 'Secret' ? usedSecrets : undefined;
  return {
    isSource: true,
    kind,
    namespace,
    objectName: undefined,
    name,
    path: sourcesPath({ kind, namespace }),
    fieldSelector,
  };
}

/** Selects by `metadata.name`, as RBAC's `resourceNames` allows. */
function sourceNamed({ kind, namespace, name: objectName }: SourceRef): RestartStreamPlan {
  const name = `${sourcePlurals[kind]} ${objectName}${placeSuffix(namespace)}`;
  const fieldSelector = `metadata.name=${objectName}`;
  return { isSource: true, kind, namespace, objectName, name, path: sourcesPath({ kind, namespace }), fieldSelector };
}
