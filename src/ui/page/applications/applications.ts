import type { ApplicationList } from '../../protocol.ts';
import { byId, setText } from '../dom.ts';
import { count } from '../format.ts';
import { type ApplicationRow, createApplicationRow, rowsOf, type Shown } from './applicationRow.ts';

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
  const rows = new Map<string, ApplicationRow>();
  let list: ApplicationList = { total: 0, found: 0, applications: [] };
  /** The search text of the request in progress; undefined if there is none. */
  let requested: string | undefined;

  function place(shown: readonly Shown[]): void {
    const keys = new Set(shown.map(({ key }) => key));
    for (const [key, { element }] of rows) {
      if (keys.has(key)) continue;
      element.remove();
      rows.delete(key);
    }
    let next = body.firstElementChild;
    for (const each of shown) {
      const row = rows.get(each.key) ?? createApplicationRow(each);
      rows.set(each.key, row);
      row.show(each, now());
      if (row.element === next) next = next.nextElementSibling;
      else body.insertBefore(row.element, next);
    }
  }

  function show(): void {
    const { total, found, applications } = list;
    place(applications.flatMap(rowsOf));
    setText(
      byId('applications-count', HTMLElement),
      found === total ? count(total) : `${count(found)} of ${count(total)}`,
    );
    none.hidden = applications.length > 0 && applications.length === found;
    setText(none, nothingMore(list));
  }

  async function load(words: string): Promise<void> {
    const query = new URLSearchParams({ search: words });
    const response = await fetch(`/applications?${query}`, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`the request for applications failed: ${response.status}`);
    list = await response.json();
  }

  function refresh(): void {
    if (requested !== undefined) return;
    const words = search.value.trim();
    requested = words;
    const done = () => {
      requested = undefined;
      show();
      if (search.value.trim() !== words) refresh();
    };
    // After a failure the last list stays; the page already shows the state of the connection.
    load(words).then(done, done);
  }

  search.addEventListener('input', refresh);
  return { refresh };
}

function nothingMore({ total, found, applications }: ApplicationList): string {
  if (total === 0) return 'The application observer manages no application.';
  if (found === 0) return 'No application matches.';
  return `${count(applications.length)} of ${count(found)} are shown: find the others by name, kind or state.`;
}
