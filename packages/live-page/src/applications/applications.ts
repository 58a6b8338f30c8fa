import type { ApplicationList } from '../../protocol/applicationView.ts';
import { byId } from '../dom.ts';
import { createListSummary } from '../listSummary.ts';
import { createPolledList } from '../polledList.ts';
import { createRows } from '../rows.ts';
import { createApplicationRow, rowsOf } from './applicationRow.ts';

interface Applications {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The table of the applications and their resources. It is requested while it is visible, with the search text. */
export function createApplications(now: () => number): Applications {
  const table = byId('applications-table', HTMLTableElement);
  const body = table.tBodies[0] ?? table.createTBody();
  const search = byId('applications-search', HTMLInputElement);
  const summarize = createListSummary('applications', {
    empty: 'The application observer manages no application.',
    noMatch: 'No application matches.',
    cut: 'are shown: find the others by name, kind or state.',
  });
  const rows = createRows({
    parent: body,
    keyOf: ({ key }) => key,
    create: createApplicationRow,
    update: (row, shown) => row.show(shown, now()),
  });
  let list: ApplicationList = { total: 0, found: 0, applications: [] };

  function show(): void {
    const { total, found, applications } = list;
    rows.place(applications.flatMap(rowsOf));
    summarize({ total, found, shown: applications.length });
  }

  const refresh = createPolledList<ApplicationList>({
    path: () => `/applications?${new URLSearchParams({ search: search.value.trim() })}`,
    take(newList) {
      list = newList;
    },
    show,
  });
  search.addEventListener('input', refresh);
  return { refresh };
}
