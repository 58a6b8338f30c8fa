import type { ApplicationList } from '../../protocol/applicationView.ts';
import { healthFilters } from '../../protocol/health.ts';
import { addControl } from '../address.ts';
import { byId } from '../dom.ts';
import { createFilterButtons } from '../filterButtons.ts';
import { createListSummary } from '../listSummary.ts';
import { createNamespaceFilter } from '../namespaceFilter.ts';
import { createPolledList } from '../polledList.ts';
import { createVirtualRows } from '../virtualRows.ts';
import { createApplicationRow, rowsOf } from './applicationRow.ts';

interface Applications {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The table of the applications and their resources. It is requested while it is visible, with the search text. */
export function createApplications(now: () => number): Applications {
  const table = byId('applications-table', HTMLTableElement);
  const search = byId('applications-search', HTMLInputElement);
  const summarize = createListSummary('applications', {
    empty: 'The application observer manages no application.',
    noMatch: 'No application matches.',
    cut: 'are shown: find the others by name, kind or state.',
  });
  const rows = createVirtualRows({
    table,
    keyOf: ({ key }) => key,
    create: createApplicationRow,
    update: (row, shown) => row.show(shown, now()),
  });
  addControl('applications', 'search', search, () => refresh());
  const filters = createFilterButtons('applications', healthFilters, () => refresh());
  const namespaces = createNamespaceFilter('applications', () => refresh());
  let list: ApplicationList | undefined;

  function show(): void {
    if (list === undefined) return;
    const { total, found, counts, applications } = list;
    rows.place(applications.flatMap(rowsOf));
    filters.counts(counts);
    namespaces.offer(list.namespaces);
    summarize({ total, found, shown: applications.length });
  }

  const refresh = createPolledList<ApplicationList>({
    path() {
      const query = { search: search.value.trim(), namespace: namespaces.chosen(), show: filters.chosen() };
      return `/applications?${new URLSearchParams(query)}`;
    },
    take(newList) {
      list = newList;
    },
    show,
  });
  return { refresh };
}
