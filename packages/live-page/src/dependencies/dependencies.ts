import { type DependencyList, serviceFilters } from '../../protocol/protocol.ts';
import { addControl } from '../address.ts';
import { byId } from '../dom.ts';
import { createFilterButtons } from '../filterButtons.ts';
import { createListSummary } from '../listSummary.ts';
import { createNamespaceFilter } from '../namespaceFilter.ts';
import { createPolledList } from '../polledList.ts';
import { createDependencyPicture } from './picture.ts';

interface Dependencies {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The view of the services and their dependants. It is requested while it is visible, with the filters. */
export function createDependencies(now: () => number): Dependencies {
  const search = byId('dependencies-search', HTMLInputElement);
  const summarize = createListSummary('dependencies', {
    empty: 'weeder watches no service.',
    noMatch: 'No service matches.',
    cut: 'services are shown: find the others by name, namespace or state.',
  });
  addControl('dependencies', 'search', search, () => refresh());
  const filters = createFilterButtons('dependencies', serviceFilters, () => refresh());
  const namespaceFilter = createNamespaceFilter('dependencies', () => refresh());
  const picture = createDependencyPicture(now, (name) => {
    search.value = name;
    // The address takes the value as if it was typed.
    search.dispatchEvent(new Event('input'));
  });
  let list: DependencyList | undefined;
  /** The list that the picture shows. */
  let shown: DependencyList | undefined;

  function path(): string {
    const query = { search: search.value.trim(), namespace: namespaceFilter.chosen(), show: filters.chosen() };
    return `/dependencies?${new URLSearchParams(query)}`;
  }

  function show(): void {
    if (list === undefined) return;
    if (list === shown) picture.tick();
    else draw(list);
  }

  function draw(dependencies: DependencyList): void {
    shown = dependencies;
    const { total, found, counts, services, namespaces } = dependencies;
    picture.show(dependencies);
    namespaceFilter.offer(namespaces);
    filters.counts(counts);
    summarize({ total, found, shown: services.length });
  }

  const refresh = createPolledList<DependencyList>({
    path,
    take(newList) {
      list = newList;
    },
    show,
  });
  return { refresh };
}
