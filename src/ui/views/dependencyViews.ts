import { keyOf } from '@weeder/kube-runtime/objects';
import {
  compareNames,
  type DependantView,
  type DependencyList,
  type DependencyView,
  isShown,
  type ServiceFilter,
  type ServiceView,
  serviceFilters,
  serviceRank,
  worstFirst,
} from '@weeder/live-page';
import { hasWords, searchWords } from '../../actors/searchWords.ts';
import { tally } from '../../base/tally.ts';
import { includesName } from '../../config/scopes.ts';
import { type Dependant, dependantId, type ServiceDependants, sourceText } from '../../weeder/dependants.ts';
import type { Pause } from '../pageWork.ts';

/** The filters of a request by names. */
export interface NameQuery {
  /** Words that the name of a service, or of a dependant together with its service, contains; case-insensitive. */
  readonly search: string;
  /** The namespace of the service or of the dependant; empty: any. */
  readonly namespace: string;
}

export interface DependencyQuery extends NameQuery {
  readonly show: ServiceFilter;
}

/** The maximum number of services in a response: the filters find the others. */
const maxServices = 200;
/** The number of dependants that the shown services share, and the number that each of them has in any case. */
const maxDependants = 1000;
const minDependants = 20;
const maxWorkloads = 5;
type Match = ServiceDependants & { readonly key: string; readonly view: ServiceView };

/**
 * The services for the page, the worst first. `viewOf`: by `namespace/service`; undefined: not polled yet. `actors`: the
 * ids of all roots, those of workloads among them.
 */
export async function dependencyList(
  dependencies: Iterable<ServiceDependants>,
  viewOf: (service: string) => ServiceView | undefined,
  actors: ReadonlySet<string>,
  query: DependencyQuery,
  pause: Pause,
): Promise<DependencyList> {
  const words = searchWords(query.search);
  const namespaces = new Set<string>();
  const counts: Record<ServiceFilter, number> = { all: 0, notReady: 0, window: 0, crashLooping: 0 };
  const matches: Match[] = [];
  for (const service of dependencies) {
    const key = keyOf(service.namespace, service.service);
    const view = viewOf(key);
    if (view === undefined) continue;
    for (const filter of serviceFilters) if (isShown(view, filter)) counts[filter] += 1;
    addNamespaces(namespaces, service);
    const match = isShown(view, query.show) ? matching(service, key, words, query.namespace) : undefined;
    if (match !== undefined) matches.push({ ...match, view });
    await pause();
  }
  const shown = matches
    .sort(
      worstFirst(
        ({ view }) => serviceRank(view),
        ({ key }) => key,
      ),
    )
    .slice(0, maxServices);
  const limit = Math.max(minDependants, Math.floor(maxDependants / Math.max(1, shown.length)));
  const dependants = new Map<string, DependantView>();
  const services = shown.map((match) => dependencyView(match, limit, dependants, actors));
  return {
    total: counts.all,
    found: matches.length,
    counts,
    namespaces: [...namespaces].sort(compareNames),
    services,
    dependants: [...dependants.values()],
  };
}

function addNamespaces(namespaces: Set<string>, { namespace, dependants }: ServiceDependants): void {
  namespaces.add(namespace);
  for (const { namespaces: dependantNamespaces } of dependants)
    if (dependantNamespaces !== 'all')
      for (const dependantNamespace of dependantNamespaces) namespaces.add(dependantNamespace);
}

/** The service with the dependants that match; undefined if neither it nor one of them does. */
function matching(
  service: ServiceDependants,
  key: string,
  words: readonly string[],
  namespace: string,
): Omit<Match, 'view'> | undefined {
  const isIn = namespace === '' || service.namespace === namespace;
  const isFound = hasWords(key.toLowerCase(), words);
  const dependants = service.dependants.filter(
    (dependant) =>
      (isIn || includesName(dependant.namespaces, namespace)) &&
      (isFound || hasWords(`${key} ${dependantId(dependant)}`.toLowerCase(), words)),
  );
  return (isIn && isFound) || dependants.length > 0 ? { ...service, key, dependants } : undefined;
}

/** Adds the shown dependants to those of the other services. */
function dependencyView(
  { namespace, service, view, dependants }: Match,
  limit: number,
  shownBefore: Map<string, DependantView>,
  actors: ReadonlySet<string>,
): DependencyView {
  const shown = dependants
    .map((each) => ({
      view: shownBefore.get(dependantId(each)) ?? dependantView(each, actors),
      source: sourceText(each),
    }))
    .sort((a, b) => b.view.crashLooping - a.view.crashLooping || compareNames(a.view.id, b.view.id))
    .slice(0, limit);
  for (const { view: dependant } of shown) shownBefore.set(dependant.id, dependant);
  const [ids, sources] = [shown.map((each) => each.view.id), shown.map((each) => each.source)];
  return { namespace, service, view, dependants: ids, sources, total: dependants.length };
}

function dependantView(dependant: Dependant, actors: ReadonlySet<string>): DependantView {
  const { by, name, namespaces } = dependant;
  const pods = dependant.pods();
  const counts = Object.entries(tally(pods.map(({ workload }) => workload))).sort(([, a], [, b]) => b - a);
  const actor = workloadActorId(name);
  return {
    id: dependantId(dependant),
    by,
    name,
    actor: by === 'declared' && actors.has(actor) ? actor : undefined,
    namespaces,
    crashLooping: pods.length,
    workloads: counts.slice(0, maxWorkloads).map(([workload]) => workload),
  };
}

/** The id of the actor of a workload: `Deployment shop/web` → `deployment/shop/web`. */
export function workloadActorId(workload: string): string {
  const [kind = '', key = ''] = workload.split(' ');
  return `${kind.toLowerCase()}/${key}`;
}
