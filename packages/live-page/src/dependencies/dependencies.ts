import { type DependencyList, type SuggestionView, serviceFilters } from '../../protocol/protocol.ts';
import { addControl } from '../address.ts';
import { byId } from '../dom.ts';
import { createFilterButtons } from '../filterButtons.ts';
import { createListSummary } from '../listSummary.ts';
import { createNamespaceFilter } from '../namespaceFilter.ts';
import { createPolledList } from '../polledList.ts';
import { layOver } from './overlay.ts';
import { createDependencyPicture } from './picture.ts';
import { createSuggestions } from './suggestions.ts';

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
  const names = () => ({ search: search.value.trim(), namespace: namespaceFilter.chosen() });
  const suggestions = createSuggestions(() => new URLSearchParams(names()), show);
  let list: DependencyList | undefined;
  /** What the picture shows. */
  let shown: { readonly list: DependencyList; readonly over: readonly SuggestionView[] } | undefined;

  function show(): void {
    if (list === undefined) return;
    const over = suggestions.shown();
    if (list === shown?.list && over === shown.over) picture.tick();
    else draw(list, over);
  }

  function draw(dependencies: DependencyList, over: readonly SuggestionView[]): void {
    shown = { list: dependencies, over };
    const { total, found, counts, services, namespaces } = dependencies;
    // A service that is only suggested has no state.
    const laid = layOver(dependencies, over, filters.chosen() === 'all');
    picture.show(laid);
    suggestions.summarize(laid.services.reduce((sum, { suggested }) => sum + suggested.size, 0));
    namespaceFilter.offer(namespaces);
    filters.counts(counts);
    summarize({ total, found, shown: services.length });
  }

  const request = createPolledList<DependencyList>({
    path: () => `/dependencies?${new URLSearchParams({ ...names(), show: filters.chosen() })}`,
    take(newList) {
      list = newList;
    },
    show,
  });

  function refresh(): void {
    request();
    suggestions.refresh();
  }

  return { refresh };
}
