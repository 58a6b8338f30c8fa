import type { WorkloadList, WorkloadView } from '../protocol.ts';
import { byId, create, setText } from './dom.ts';
import { count, dayAndTime, span } from './format.ts';
import { addressOf } from './views.ts';

interface Workloads {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The maximum number of rows. The search finds the others. */
const mostRows = 500;

/** The table of the workloads that restart control manages. It is requested while it is visible. */
export function createWorkloads(now: () => number): Workloads {
  const table = byId('workloads-table', HTMLTableElement);
  const body = table.tBodies[0] ?? table.createTBody();
  const search = byId('workloads-search', HTMLInputElement);
  const none = byId('workloads-none', HTMLElement);
  const rows = new Map<string, { readonly element: HTMLTableRowElement; readonly cells: readonly Element[] }>();
  let workloads: readonly WorkloadView[] = [];
  let isLoading = false;

  function rowOf({ id }: WorkloadView) {
    const known = rows.get(id);
    if (known !== undefined) return known;
    const link = create('a', { text: id, attributes: { href: addressOf(id) } });
    const state = create('span', { class: 'workload-state' });
    const cells = ['Reason and duration', 'Uses', 'Last restart'].map((label) => cell('td', label));
    const element = create(
      'tr',
      { attributes: { role: 'row' } },
      cell('th', 'Workload', link),
      cell('td', 'State', state),
      ...cells,
    );
    const made = { element, cells: [state, ...cells] };
    rows.set(id, made);
    return made;
  }

  function fill(workload: WorkloadView): Element {
    const { element, cells } = rowOf(workload);
    for (const [index, text] of textsOf(workload, now()).entries()) {
      const at = cells[index];
      if (at !== undefined) setText(at, text);
    }
    cells[0]?.setAttribute('data-state', workload.state);
    return element;
  }

  function place(shown: readonly WorkloadView[]): void {
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, { element }] of rows) {
      if (ids.has(id)) continue;
      element.remove();
      rows.delete(id);
    }
    let next = body.firstElementChild;
    for (const workload of shown) {
      const element = fill(workload);
      if (element === next) next = next.nextElementSibling;
      else body.insertBefore(element, next);
    }
  }

  function show(): void {
    const words = search.value.trim().toLowerCase();
    const found = workloads.filter(({ id, state, sources }) =>
      [id, state, ...sources].some((text) => text.toLowerCase().includes(words)),
    );
    const shown = found.slice(0, mostRows);
    place(shown);
    const all = count(workloads.length);
    setText(
      byId('workloads-count', HTMLElement),
      found.length === workloads.length ? all : `${count(found.length)} of ${all}`,
    );
    none.hidden = found.length > 0 && found.length === shown.length;
    setText(none, nothingMore(workloads.length, found.length));
  }

  async function load(): Promise<void> {
    const response = await fetch('/workloads', { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`the request for workloads failed: ${response.status}`);
    const list: WorkloadList = await response.json();
    workloads = list.workloads;
  }

  search.addEventListener('input', show);
  return {
    refresh() {
      if (isLoading) return;
      isLoading = true;
      const done = () => {
        isLoading = false;
        show();
      };
      // After a failure the last list stays; the page already shows the state of the connection.
      load().then(done, done);
    },
  };
}

function textsOf(workload: WorkloadView, now: number): string[] {
  const { state, reason, sources, restartedAt, cause } = workload;
  // Non-breaking spaces keep a duration on one line.
  const left = howLong(workload, now).replaceAll(' ', '\u00a0');
  const last = restartedAt === undefined ? '–' : `${dayAndTime(restartedAt, now)}${cause === '' ? '' : `, ${cause}`}`;
  return [state, reason === '' ? left : `${reason} (${left})`, sources.join(', ') || '–', last];
}

/** The deadline of a rollout does not indicate how long it will take. */
function howLong({ state, since, until }: WorkloadView, now: number): string {
  if (until === undefined || state === 'rolling') return `for ${span(now - since)}`;
  return `${span(until - now)} left`;
}

function cell(tag: 'td' | 'th', label: string, ...children: readonly Node[]): HTMLTableCellElement {
  const role = tag === 'th' ? 'rowheader' : 'cell';
  return create(tag, { class: tag === 'th' ? 'name' : '', attributes: { role, 'data-label': label } }, ...children);
}

function nothingMore(total: number, found: number): string {
  if (total === 0) return 'Restart control manages no workload.';
  if (found === 0) return 'No workload matches.';
  return `${count(mostRows)} of ${count(found)} are shown: find the others by name, state or source.`;
}
