import { type Clock, type CodedError, ok } from '@weeder/kube-runtime/base';
import { backgroundClient } from '@weeder/kube-runtime/client';
import { keyOf, objectText, workloadKindNames } from '@weeder/kube-runtime/objects';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { compareNames, type SuggestionList, type SuggestionView } from '@weeder/live-page';
import { hasWords, searchWords } from '../../actors/searchWords.ts';
import { createListReader } from '../../base/listReader.ts';
import type { Config } from '../../config/config.ts';
import { type Dependency, isAtLeast } from '../../dependencies/dependency.ts';
import type { Observed, ObservedWorkload } from '../../suggest/observed.ts';
import { readCluster } from '../../suggest/readCluster.ts';
import { createSuggester } from '../../suggest/suggestDependencies.ts';
import { isNew, missingDeclaration } from '../../suggest/suggestionLabels.ts';
import { reasonOf } from '../../suggest/suggestionTable.ts';
import type { PageSource } from '../pageSource.ts';
import type { PageWork } from '../pageWork.ts';
import type { NameQuery } from './dependencyViews.ts';

interface SuggestionsOptions {
  readonly source: () => PageSource | undefined;
  /** The config in force. */
  readonly config: () => Config | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly work: PageWork;
}

export type Suggestions = (query: NameQuery) => Promise<SuggestionList>;
type Found = Pick<SuggestionList, 'suggestions' | 'problems'>;
type Cluster = NonNullable<PageSource['cluster']>;

/** How long all pages get the result of one search; milliseconds. */
const lifetime = 60_000;
/** Of workloads. */
const batch = 50;
/** The maximum number of suggestions in a response: the filters find the others. */
const maxSuggestions = 200;
/** Of Services and workloads that are held at once: about 20 MB. A larger cluster is for `weeder suggest`. */
const maxObjects = 4000;

/**
 * What `weeder suggest` finds in the pod templates of workloads. It reads the cluster only on request, in the background,
 * and without ConfigMaps and pods, so that the process needs neither their memory nor the permission.
 */
export function createSuggestions({ source, config, clock, work }: SuggestionsOptions): Suggestions {
  let newest: { readonly at: number; readonly found: Promise<Found> } | undefined;

  function search(cluster: Cluster): Promise<Found> {
    const now = clock.now();
    if (newest !== undefined && now - newest.at < lifetime) return newest.found;
    const found = searchIn(cluster, config(), work);
    newest = { at: now, found };
    found.catch(() => {
      newest = undefined;
    });
    return found;
  }

  return async (query) => {
    const seen = source();
    if (seen === undefined) return nothing('weeder has not reached the API server yet.');
    const { cluster, leadership } = seen;
    if (cluster === undefined) return nothing('There are suggestions only on the page of a running weeder.');
    if ((leadership?.()?.state ?? 'leading') !== 'leading')
      return nothing('A standby suggests nothing: open the page of the leader.');
    const { suggestions, problems } = await search(cluster);
    const words = searchWords(query.search);
    const found = suggestions.filter((each) => matches(each, words, query.namespace));
    return { found: found.length, suggestions: found.slice(0, maxSuggestions), problems };
  };
}

function nothing(problem: string): SuggestionList {
  return { found: 0, suggestions: [], problems: [problem] };
}

function matches(
  { namespace, service, workload, workloadNamespace }: SuggestionView,
  words: readonly string[],
  chosen: string,
): boolean {
  if (chosen !== '' && chosen !== namespace && chosen !== workloadNamespace) return false;
  return hasWords(`${keyOf(namespace, service)} ${workload}`.toLowerCase(), words);
}

async function searchIn({ client, namespaces }: Cluster, config: Config | undefined, work: PageWork): Promise<Found> {
  const excess = new AbortController();
  const reader = createListReader(backgroundClient(client), excess.signal);
  let held = 0;
  const read = (stream: StreamNeed) => {
    const apply: StreamNeed['sink']['apply'] = (type, object) => {
      held += 1;
      if (held > maxObjects) excess.abort();
      else stream.sink.apply(type, object);
    };
    return reader.read({ ...stream, sink: { ...stream.sink, apply } });
  };
  const readSource = async () => ok(undefined);
  const cluster = await readCluster(namespaces, { read, kinds: [], workloads: workloadKindNames, readSource });
  if (excess.signal.aborted) return { suggestions: [], problems: [tooMany] };
  if (!cluster.ok) return { suggestions: [], problems: [`${cluster.error.message} ${cluster.error.hint}`] };
  const { observed } = cluster.value;
  const suggestions = await suggestionsOf(observed, config, work);
  const isIgnored = config !== undefined && config.declared === undefined && suggestions.length > 0;
  return { suggestions, problems: [...(isIgnored ? [labelsIgnored] : []), ...refusals(reader.refused())] };
}

function refusals([first, ...others]: readonly CodedError[]): string[] {
  if (first === undefined) return [];
  const named = `The suggestions do not include ${first.message} ${first.hint}`;
  if (others.length === 0) return [named];
  const rest = others.map(({ message }) => message.replace(/:$/, '')).join(', ');
  return [named, `Also refused: ${rest}. The rules of deploy/examples/suggest.yaml include them.`];
}

const labelsIgnored = 'The config has no section declaredDependencies, so labels on pods have no effect.';
const tooMany = `The cluster has more than ${maxObjects} Services and workloads: use weeder suggest.`;

/** In batches, between which the other computations for the pages have their turn. */
async function suggestionsOf(observed: Observed, config: Config | undefined, work: PageWork) {
  const { workloads } = observed;
  const suggest = createSuggester(observed, config);
  /** A list that had to begin again may have an object twice. */
  const views = new Map<string, SuggestionView>();
  const nameOf = ({ namespace, service, workload }: SuggestionView) => `${keyOf(namespace, service)} ${workload}`;
  const evaluate = work.computation(async (from: number, pause) => {
    for (const workload of workloads.slice(from, from + batch)) {
      for (const view of suggest(workload).flatMap((each) => viewsOf(each, workload))) views.set(nameOf(view), view);
      await pause();
    }
  });
  for (let from = 0; from < workloads.length; from += batch) await evaluate(from);
  return [...views].sort(([a], [b]) => compareNames(a, b)).map(([, view]) => view);
}

/** At least of the confidence that `weeder suggest` shows by default. */
function viewsOf(dependency: Dependency, workload: ObservedWorkload): SuggestionView[] {
  const { service, confidence, evidence } = dependency;
  const [strongest] = evidence;
  if (!isNew(dependency) || strongest === undefined || confidence === undefined) return [];
  if (!isAtLeast(confidence, 'medium')) return [];
  return [
    {
      namespace: service.namespace,
      service: service.name,
      workload: objectText(workload.ref),
      workloadNamespace: workload.ref.namespace,
      confidence,
      reason: reasonOf(strongest),
      lacks: missingDeclaration(service, workload),
    },
  ];
}
