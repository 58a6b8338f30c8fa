import { countByHealth, healthFilters } from '../protocol/health.ts';
import { workloadDisplay } from '../protocol/states.ts';
import type { WorkloadList, WorkloadView } from '../protocol/workloadView.ts';
import { compareNames } from '../protocol/worstFirst.ts';
import { addControl, pageAddress } from './address.ts';
import { cell, labelledCell, nameCell } from './cells.ts';
import { byId, create } from './dom.ts';
import { createFilterButtons } from './filterButtons.ts';
import { instant, span } from './format.ts';
import { createListSummary } from './listSummary.ts';
import { createNamespaceFilter } from './namespaceFilter.ts';
import { nextStep, unbroken } from './nextStep.ts';
import { createPolledList } from './polledList.ts';
import { setTimedText } from './times.ts';
import { createVirtualRows } from './virtualRows.ts';

interface Workloads {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The table of the workloads that restart control manages. It is requested while it is visible. */
export function createWorkloads(now: () => number): Workloads {
  const table = byId('workloads-table', HTMLTableElement);
  const search = byId('workloads-search', HTMLInputElement);
  const summarize = createListSummary('workloads', {
    empty: 'Restart control manages no workload.',
    noMatch: 'No workload matches.',
  });
  addControl('workloads', 'search', search, () => show());
  const filters = createFilterButtons('workloads', healthFilters, () => show());
  const namespaces = createNamespaceFilter('workloads', () => show());
  const rows = createVirtualRows({
    table,
    keyOf: ({ id }) => id,
    create: createRow,
    update: (row, workload) => row.show(workload, now()),
  });
  let workloads: readonly WorkloadView[] = [];

  function show(): void {
    const words = search.value.trim().toLowerCase();
    const [filter, namespace] = [filters.chosen(), namespaces.chosen()];
    const matches = workloads.filter(
      ({ name, namespace: own, state, sources }) =>
        (namespace === '' || own === namespace) &&
        (filter === 'all' || workloadDisplay(state).health === filter) &&
        [name, workloadDisplay(state).words, ...sources].some((text) => text.toLowerCase().includes(words)),
    );
    rows.place(matches);
    filters.counts(countByHealth(workloads.map(({ state }) => workloadDisplay(state).health)));
    namespaces.offer([...new Set(workloads.map((each) => each.namespace))].sort(compareNames));
    summarize({ total: workloads.length, found: matches.length });
  }

  const refresh = createPolledList<WorkloadList>({
    path: () => '/workloads',
    take(list) {
      workloads = list.workloads;
    },
    show,
  });
  return { refresh };
}

function createRow({ name }: WorkloadView) {
  const href = pageAddress({ type: 'workload', id: name });
  const link = create('a', { text: name, attributes: { href } });
  const state = create('span', { class: 'state' });
  const others = [cell(), labelledCell('Uses:'), labelledCell('Last restart:')];
  const cells = [state, ...others];
  const element = create('tr', { attributes: { role: 'row' } }, nameCell(link), cell(state), ...others);
  return {
    element,
    show(workload: WorkloadView, now: number): void {
      for (const [index, text] of textsOf(workload, now).entries()) {
        const at = cells[index];
        if (at !== undefined) setTimedText(at, text, now);
      }
      state.dataset['health'] = workloadDisplay(workload.state).health;
      state.title = workload.state;
    },
  };
}

function textsOf(workload: WorkloadView, now: number): string[] {
  const { state, reason, sources, restarts, cause } = workload;
  const restartedAt = restarts.at(-1);
  const left = howLong(workload, now);
  const last = restartedAt === undefined ? '–' : `${instant(restartedAt)}${cause === '' ? '' : `, ${cause}`}`;
  return [workloadDisplay(state).words, reason === '' ? left : `${reason}, ${left}`, sources.join(', ') || '–', last];
}

function howLong({ state, since, until }: WorkloadView, now: number): string {
  const display = workloadDisplay(state);
  return until === undefined || display.next === ''
    ? unbroken(`for ${span(now - since)}`)
    : nextStep(display, until, now);
}
