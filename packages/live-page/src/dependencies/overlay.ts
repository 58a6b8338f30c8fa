import type {
  DependantView,
  DependencyList,
  DependencyView,
  ServiceView,
  SuggestionView,
} from '../../protocol/protocol.ts';

/** A service of the picture. */
export interface ShownService extends Omit<DependencyView, 'view'> {
  /** Undefined: only suggestions name it. */
  readonly view: ServiceView | undefined;
  /** The ids of those of its dependants that are only suggested. */
  readonly suggested: ReadonlySet<string>;
}

export interface ShownDependant extends Omit<DependantView, 'by'> {
  readonly by: DependantView['by'] | 'suggested';
  /** Its services as `namespace/service`, each with what says that it depends on it; empty: unknown. */
  readonly sources: ReadonlyMap<string, string>;
  readonly suggestions: readonly SuggestionView[];
}

export interface ShownDependencies {
  readonly services: readonly ShownService[];
  readonly dependants: readonly ShownDependant[];
}

export function serviceKey({ namespace, service }: Pick<DependencyView, 'namespace' | 'service'>): string {
  return `${namespace}/${service}`;
}

/**
 * The list with the suggestions laid over it: as further dependants of its services and, with `hasOthers`, as further
 * services below them. What the config or a workload says meanwhile is no suggestion any more.
 */
export function layOver(
  list: DependencyList,
  suggestions: readonly SuggestionView[],
  hasOthers: boolean,
): ShownDependencies {
  const known = new Map(list.services.map((view) => [serviceKey(view), new Set(view.dependants)]));
  const added = suggestions.filter((each) => {
    const dependants = known.get(serviceKey(each));
    return dependants === undefined ? hasOthers : !dependants.has(each.workload);
  });
  const byService = Map.groupBy(added, serviceKey);
  const others = [...byService].flatMap(([key, [first]]) =>
    first === undefined || known.has(key) ? [] : [empty(first)],
  );
  const services = [...list.services, ...others].map((view) =>
    suggestedFor(view, byService.get(serviceKey(view)) ?? []),
  );
  const sources = sourcesOf(list.services);
  const byWorkload = Map.groupBy(added, ({ workload }) => workload);
  const ids = new Set(list.dependants.map(({ id }) => id));
  const dependants = list.dependants.map((view) => ({
    ...view,
    sources: sources.get(view.id) ?? new Map(),
    suggestions: byWorkload.get(view.id) ?? [],
  }));
  const workloads = [...byWorkload].filter(([id]) => !ids.has(id));
  return { services, dependants: [...dependants, ...workloads.flatMap(suggestedDependant)] };
}

function empty({ namespace, service }: SuggestionView): Omit<ShownService, 'suggested'> {
  return { namespace, service, view: undefined, dependants: [], sources: [], total: 0 };
}

function suggestedFor(view: Omit<ShownService, 'suggested'>, suggestions: readonly SuggestionView[]): ShownService {
  const ids = suggestions.map(({ workload }) => workload);
  return {
    ...view,
    dependants: [...view.dependants, ...ids],
    total: view.total + ids.length,
    suggested: new Set(ids),
  };
}

function suggestedDependant([id, suggestions]: [string, readonly SuggestionView[]]): ShownDependant[] {
  const namespaces = [...new Set(suggestions.map(({ workloadNamespace }) => workloadNamespace))];
  const nothing = { actor: undefined, crashLooping: 0, workloads: [], sources: new Map() };
  return [{ id, by: 'suggested', name: id, namespaces, ...nothing, suggestions }];
}

/** By the id of a dependant. */
function sourcesOf(services: readonly DependencyView[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const byDependant = new Map<string, Map<string, string>>();
  for (const view of services) {
    for (const [index, id] of view.dependants.entries()) {
      const sources = byDependant.get(id) ?? new Map<string, string>();
      byDependant.set(id, sources.set(serviceKey(view), view.sources[index] ?? ''));
    }
  }
  return byDependant;
}
