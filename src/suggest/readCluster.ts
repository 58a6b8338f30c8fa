import { ok, type Result } from '../base/errors.ts';
import { arrayOf, type JsonObject, objectOf } from '../base/json.ts';
import { placePath, placeSuffix, placesOf } from '../kube/objects/places.ts';
import { workloadKindNames, workloadsPath } from '../kube/objects/workloadKinds.ts';
import type { StreamNeed } from '../kube/watch/streamNeed.ts';
import { type SourceRef, sourceKey } from '../restart/model/refs.ts';
import { usesOf } from '../restart/model/uses.ts';
import { type Observed, readObjects } from './observed.ts';

/** The requests that a search needs. */
interface ClusterReader {
  /** Reads a complete list into the sink of the stream. */
  readonly read: (stream: StreamNeed) => Promise<Result<unknown>>;
  /** The ConfigMap; undefined if it does not exist, or may not be read. */
  readonly readConfigMap: (source: SourceRef) => Promise<Result<JsonObject | undefined>>;
}

/** The number of ConfigMaps that are read concurrently. */
const concurrency = 8;

/** Reads Services and workloads, and the ConfigMaps that the workloads use, each by its name. It never reads a Secret. */
export async function readCluster(
  namespaces: 'all' | readonly string[],
  { read, readConfigMap }: ClusterReader,
): Promise<Result<Observed>> {
  const objects: JsonObject[] = [];
  for (const namespace of placesOf(namespaces)) {
    for (const need of needsIn(namespace, (object) => objects.push(object))) {
      const list = await read(need);
      if (!list.ok) return list;
    }
  }
  const configMaps = await readConfigMaps(configMapsOf(readObjects(objects)), readConfigMap);
  return configMaps.ok ? ok(readObjects([...objects, ...configMaps.value])) : configMaps;
}

async function readConfigMaps(
  sources: readonly SourceRef[],
  readConfigMap: ClusterReader['readConfigMap'],
): Promise<Result<JsonObject[]>> {
  const objects: JsonObject[] = [];
  for (let index = 0; index < sources.length; index += concurrency) {
    const batch = await Promise.all(sources.slice(index, index + concurrency).map(readConfigMap));
    for (const each of batch) {
      if (!each.ok) return each;
      if (each.value !== undefined) objects.push({ ...each.value, kind: 'ConfigMap' });
    }
  }
  return ok(objects);
}

function needsIn(namespace: string | undefined, add: (object: JsonObject) => void): StreamNeed[] {
  const kinds = [
    { kind: 'Service', path: `/api/v1${placePath(namespace)}/services` },
    ...workloadKindNames.map((kind) => ({ kind, path: workloadsPath(kind, namespace) })),
  ];
  return kinds.map(({ kind, path }) => ({
    name: `${path.slice(path.lastIndexOf('/') + 1)}${placeSuffix(namespace)}`,
    kind,
    path,
    labelSelector: '',
    // Values of variables may be credentials: with this, no error quotes the response.
    reduce: withoutStatus,
    sink: { begin: () => {}, apply: (_type, object) => add(objectOf(object)), end: () => {} },
  }));
}

function withoutStatus({ kind, metadata, spec, status }: JsonObject): JsonObject {
  const { conditions } = objectOf(status);
  return { kind, metadata, spec, status: { conditions: arrayOf(conditions) } };
}

function configMapsOf({ workloads }: Observed): SourceRef[] {
  const uses = workloads.flatMap(({ template, ref }) =>
    usesOf(template, ref.namespace, { imagePullSecrets: 'ignore' }),
  );
  const sources = uses.flatMap(({ source }) => (source.kind === 'ConfigMap' ? [source] : []));
  return [...new Map(sources.map((source) => [sourceKey(source), source])).values()];
}
