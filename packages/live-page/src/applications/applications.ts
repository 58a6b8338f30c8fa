import type { ApplicationList } from '../../protocol/applicationView.ts';
import { byId, setText } from '../dom.ts';
import { count } from '../format.ts';
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
  const none = byId('applications-none', HTMLElement);
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
    setText(
      byId('applications-count', HTMLElement),
      found === total ? count(total) : `${count(found)} of ${count(total)}`,
    );
    none.hidden = applications.length > 0 && applications.length === found;
    setText(none, nothingMore(list));
  }

  const refresh = createPolledList<ApplicationList>({
    path: () => `/applications?${new URLSearchParams({ search: search.value.trim() })}`,
    take(its) {
      list = its;
    },
    show,
  });
  search.addEventListener('input', refresh);
  return { refresh };
}

function nothingMore({ total, found, applications }: ApplicationList): string {
  if (total === 0) return 'The application observer manages no application.';
  if (found === 0) return 'No application matches.';
  return `${count(applications.length)} of ${count(found)} are shown: find the others by name, kind or state.`;
}
