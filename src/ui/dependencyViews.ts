import { setImmediate as turn } from 'node:timers/promises';
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
import { hasWords, searchWords } from '../actors/searchWords.ts';
import { includesName } from '../config/scopes.ts';
import type { Dependant, ServiceDependants } from '../weeder/dependants.ts';

/** The filters of the dependencies in a request. */
export interface DependencyQuery {
  /** Words that the name of a service, or of a dependant together with its service, contains; case-insensitive. */
  readonly search: string;
  /** The namespace of the service or of the dependant; empty: any. */
  readonly namespace: string;
  readonly show: ServiceFilter;
}

/** The maximum number of services in a response: the filters find the others. */
const maxServices = 200;
/** The number of dependants that the shown services share, and the number that each of them has in any case. */
const maxDependants = 1000;
const minDependants = 20;
const maxWorkloads = 5;
/** The number of services that are read without a pause. */
const batch = 500;

type Match = ServiceDependants & { readonly key: string; readonly view: ServiceView };

/** The services for the page, the worst first. `viewOf`: by `namespace/service`; undefined: not polled yet. */
export async function dependencyList(
  dependencies: Iterable<ServiceDependants>,
  viewOf: (service: string) => ServiceView | undefined,
  query: DependencyQuery,
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
    if (counts.all % batch === 0) await turn();
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
  const services = shown.map((match) => dependencyView(match, limit, dependants));
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
      (isFound || hasWords(`${key} ${idOf(dependant)}`.toLowerCase(), words)),
  );
  return (isIn && isFound) || dependants.length > 0 ? { ...service, key, dependants } : undefined;
}

/** Adds the shown dependants to those of the other services. */
function dependencyView(
  { namespace, service, view, dependants }: Match,
  limit: number,
  shownBefore: Map<string, DependantView>,
): DependencyView {
  const views = dependants.map((each) => shownBefore.get(idOf(each)) ?? dependantView(each));
  const first = views.length > limit ? views.toSorted((a, b) => b.crashLooping - a.crashLooping) : views;
  const shown = first.slice(0, limit).sort((a, b) => compareNames(a.id, b.id));
  for (const dependant of shown) shownBefore.set(dependant.id, dependant);
  return { namespace, service, view, dependants: shown.map(({ id }) => id), total: dependants.length };
}

function dependantView(dependant: Dependant): DependantView {
  const { by, name, namespaces } = dependant;
  const counts = [...dependant.crashLooping()].sort(([, a], [, b]) => b - a);
  return {
    id: idOf(dependant),
    by,
    name,
    namespaces,
    crashLooping: counts.reduce((sum, [, count]) => sum + count, 0),
    workloads: counts.slice(0, maxWorkloads).map(([workload]) => workload),
  };
}

/** The name of a workload contains its namespace. */
function idOf({ by, name, namespaces }: Dependant): string {
  if (by === 'declared') return name;
  return `pods with ${name} in ${namespaces === 'all' ? 'all namespaces' : namespaces.join(', ')}`;
}
