import type { DependencyList } from '../../protocol/protocol.ts';
import { byId, create } from '../dom.ts';
import { createFilterButtons } from '../filterButtons.ts';
import { createListSummary } from '../listSummary.ts';
import { createPolledList } from '../polledList.ts';
import { createDependencyPicture } from './picture.ts';

interface Dependencies {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The view of the services and their dependants. It is requested while it is visible, with the filters. */
export function createDependencies(now: () => number): Dependencies {
  const search = byId('dependencies-search', HTMLInputElement);
  const namespace = byId('dependencies-namespace', HTMLSelectElement);
  const summarize = createListSummary('dependencies', {
    empty: 'weeder watches no service.',
    noMatch: 'No service matches.',
    cut: 'services are shown: find the others by name, namespace or state.',
  });
  const filters = createFilterButtons(byId('dependencies', HTMLElement), () => refresh());
  const picture = createDependencyPicture(now, (name) => {
    search.value = name;
    refresh();
  });
  let list: DependencyList | undefined;
  /** The list that the picture shows. */
  let shown: DependencyList | undefined;

  function path(): string {
    const query = { search: search.value.trim(), namespace: namespace.value, show: filters.chosen() };
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
    offer(namespaces);
    filters.counts(counts);
    summarize({ total, found, shown: services.length });
  }

  /** Keeps the chosen namespace, even if it is no longer in the list. */
  function offer(namespaces: readonly string[]): void {
    const offered = namespace.value === '' || namespaces.includes(namespace.value);
    const names = offered ? namespaces : [namespace.value, ...namespaces];
    const options = [...namespace.options].slice(1).map(({ value }) => value);
    if (options.length === names.length && names.every((name, index) => name === options[index])) return;
    const chosen = namespace.value;
    namespace.replaceChildren(
      create('option', { text: 'any', attributes: { value: '' } }),
      ...names.map((name) => create('option', { text: name, attributes: { value: name } })),
    );
    namespace.value = chosen;
  }

  const refresh = createPolledList<DependencyList>({
    path,
    take(newList) {
      list = newList;
    },
    show,
  });
  search.addEventListener('input', refresh);
  namespace.addEventListener('change', refresh);
  return { refresh };
}
