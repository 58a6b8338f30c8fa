import { systemClock } from '../../base/clock.ts';
import { ok, type Result } from '../../base/errors.ts';
import { type JsonObject, objectOf } from '../../base/json.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import type { StreamNeed } from '../../kube/watch/streamNeed.ts';
import { sourcePath } from '../../restart/model/refs.ts';
import { declarationProblems } from '../../suggest/misplacedDeclarations.ts';
import { type Observed, readObjects } from '../../suggest/observed.ts';
import { readCluster } from '../../suggest/readCluster.ts';
import { connect, interactive } from '../connect.ts';
import type { ClusterFlags } from '../flags/runFlags.ts';
import type { SuggestFlags } from '../flags/suggestFlags.ts';
import { createListReader } from '../listReader.ts';
import { exitCodes } from '../output.ts';
import { readManifestFiles } from './manifestFiles.ts';

/** What is searched for dependencies. */
interface Source {
  readonly observed: Observed;
  /** What is wrong with declarations, in sentences. */
  readonly problems: readonly string[];
  /** Calls `show`, and then names what was refused; returns the exit code. */
  report(show: () => void): number;
}

type SourceFlags = ClusterFlags & Pick<SuggestFlags, 'filename' | 'recording'>;

/** Reads the files; without files, and without a recording, the cluster. */
export async function readSource(
  flags: SourceFlags,
  { withConfigMaps }: { readonly withConfigMaps: boolean },
): Promise<Result<Source>> {
  if (flags.filename !== undefined) return readFiles(flags.filename, flags.namespaces);
  if (flags.recording !== undefined) return ok({ observed: readObjects([]), problems: [], report: showAll });
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return client;
  const { read, readOne, report } = createListReader(client.value);
  const objects: JsonObject[] = [];
  const observed = await readCluster(flags.namespaces ?? 'all', {
    read: (need) => read(collecting(need, objects)),
    readConfigMap: async (source) =>
      withConfigMaps ? readOne(sourcePath(source), `configmaps in ${source.namespace}`) : ok(undefined),
  });
  await client.value.close();
  if (!observed.ok) return observed;
  return ok({ observed: observed.value, problems: declarationProblems(objects).map(({ text }) => text), report });
}

/** An object without a namespace gets the first of those that are given. */
async function readFiles(paths: readonly string[], namespaces: readonly string[] | undefined): Promise<Result<Source>> {
  const objects = await readManifestFiles(paths, namespaces?.[0] ?? 'default');
  if (!objects.ok) return objects;
  const observed = readObjects(objects.value);
  const isShown = ({ namespace }: { readonly namespace: string }) => namespaces?.includes(namespace) ?? true;
  const workloads = observed.workloads.filter(({ ref }) => isShown(ref));
  const problems = declarationProblems(objects.value).filter(isShown);
  return ok({ observed: { ...observed, workloads }, problems: problems.map(({ text }) => text), report: showAll });
}

/** Collects the objects of a stream, too. */
export function collecting(need: StreamNeed, objects: JsonObject[]): StreamNeed {
  const { sink } = need;
  const apply: ObjectSink['apply'] = (type, object) => {
    objects.push(objectOf(object));
    sink.apply(type, object);
  };
  return { ...need, sink: { begin: () => sink.begin(), apply, end: (version) => sink.end(version) } };
}

function showAll(show: () => void): number {
  show();
  return exitCodes.ok;
}
