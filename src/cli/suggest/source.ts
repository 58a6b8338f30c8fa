import { type CodedError, ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import { includesName } from '../../config/scopes.ts';
import type { Dependency } from '../../dependencies/dependency.ts';
import { type SourceKind, sourcePath, sourcePlurals } from '../../restart/references/refs.ts';
import { unsearched } from '../../suggest/manifests.ts';
import { clusterDependencies } from '../../suggest/messages/clusterDependencies.ts';
import { declarationProblems } from '../../suggest/misplacedDeclarations.ts';
import { type Observed, readObjects } from '../../suggest/observed.ts';
import { readCluster } from '../../suggest/readCluster.ts';
import { connect, interactive } from '../connect.ts';
import { namespacesOf, type ReadFlags } from '../flags/readFlags.ts';
import type { SuggestFlags } from '../flags/suggestFlags.ts';
import { exitCodes, fail, printErrors } from '../output.ts';
import { createPrintedReader } from '../printedReader.ts';
import { createLastLines } from './lastLines.ts';
import { readManifestFiles } from './manifestFiles.ts';

/** What is searched for dependencies. */
interface Source {
  readonly observed: Observed;
  /** The dependencies on cluster services, if they are searched. */
  readonly named: readonly Dependency[];
  /** What is wrong with declarations, in sentences. */
  readonly problems: readonly string[];
  /** The objects of files that are not searched, by their kinds. */
  readonly unsearched: ReadonlyMap<string, number>;
  /** Calls `show`, and then names what was refused or is invalid; returns the exit code. */
  report(show: () => void): number;
}

type SourceFlags = ReadFlags & Pick<SuggestFlags, 'filename' | 'recording' | 'clusterServices'>;

/** Reads the files; without files, and without a recording, the cluster. */
export async function readSource(flags: SourceFlags, kinds: readonly SourceKind[]): Promise<Result<Source>> {
  if (flags.filename !== undefined) return readFiles(flags.filename, namespacesOf(flags), kinds);
  if (flags.recording !== undefined)
    return ok({ observed: readObjects([]), named: [], problems: [], unsearched: new Map(), report: reportOf([], []) });
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return client;
  const namespaces = namespacesOf(flags);
  const { read, readOne, leaveOut, report } = createPrintedReader(client.value, namespaces);
  const cluster = await readCluster(namespaces, {
    read,
    kinds,
    withFailingPods: flags.clusterServices === true,
    readSource: (source) => readOne(sourcePath(source), `${sourcePlurals[source.kind]} in ${source.namespace}`),
  });
  const lastLines = createLastLines(client.value, leaveOut);
  const named = cluster.ok ? await clusterDependencies(cluster.value, lastLines) : [];
  await client.value.close();
  if (!cluster.ok) return cluster;
  const { observed, objects } = cluster.value;
  const problems = declarationProblems(objects).map(({ text }) => text);
  return ok({ observed, named, problems, unsearched: new Map(), report });
}

/** An object without a namespace gets the first of those that are given. */
async function readFiles(
  paths: readonly string[],
  namespaces: 'all' | readonly string[],
  kinds: readonly SourceKind[],
): Promise<Result<Source>> {
  const files = await readManifestFiles(paths, (namespaces === 'all' ? undefined : namespaces[0]) ?? 'default');
  if (!files.ok) return files;
  const { objects, errors, remarks } = files.value;
  const observed = readObjects(objects, kinds);
  const isShown = ({ namespace }: { readonly namespace: string }) => includesName(namespaces, namespace);
  const workloads = observed.workloads.filter(({ ref }) => isShown(ref));
  const problems = declarationProblems(objects).filter(isShown);
  return ok({
    observed: { ...observed, workloads },
    named: [],
    problems: problems.map(({ text }) => text),
    unsearched: unsearched(objects, kinds),
    report: reportOf(errors, remarks),
  });
}

function reportOf(errors: readonly CodedError[], remarks: readonly string[]): Source['report'] {
  return (show) => {
    show();
    printErrors(remarks.map((remark) => `weeder: ${remark}`));
    for (const error of errors) fail({ ...error, message: `Left out: ${error.message}` });
    return errors.length === 0 ? exitCodes.ok : exitCodes.failed;
  };
}
