import { workloadDisplay } from '../protocol/states.ts';
import type { WorkloadList, WorkloadView } from '../protocol/workloadView.ts';
import { cell, labelledCell, nameCell } from './cells.ts';
import { byId, create } from './dom.ts';
import { instant, span } from './format.ts';
import { createListSummary } from './listSummary.ts';
import { nextStep, unbroken } from './nextStep.ts';
import { createPolledList } from './polledList.ts';
import { createRows } from './rows.ts';
import { setTimedText } from './times.ts';
import { addressOf } from './views.ts';

interface Workloads {
  /** Requests the data again, and resumes the countdowns. */
  refresh(): void;
}

/** The maximum number of rows. The search finds the others. */
const maxRows = 500;

/** The table of the workloads that restart control manages. It is requested while it is visible. */
export function createWorkloads(now: () => number): Workloads {
  const table = byId('workloads-table', HTMLTableElement);
  const body = table.tBodies[0] ?? table.createTBody();
  const search = byId('workloads-search', HTMLInputElement);
  const summarize = createListSummary('workloads', {
    empty: 'Restart control manages no workload.',
    noMatch: 'No workload matches.',
    cut: 'are shown: find the others by name, state or source.',
  });
  const rows = createRows({
    parent: body,
    keyOf: ({ id }) => id,
    create: createRow,
    update: (row, workload) => row.show(workload, now()),
  });
  let workloads: readonly WorkloadView[] = [];

  function show(): void {
    const words = search.value.trim().toLowerCase();
    const matches = workloads.filter(({ id, state, sources }) =>
      [id, workloadDisplay(state).words, ...sources].some((text) => text.toLowerCase().includes(words)),
    );
    const shown = matches.slice(0, maxRows);
    rows.place(shown);
    summarize({ total: workloads.length, found: matches.length, shown: shown.length });
  }

  search.addEventListener('input', show);
  const refresh = createPolledList<WorkloadList>({
    path: () => '/workloads',
    take(list) {
      workloads = list.workloads;
    },
    show,
  });
  return { refresh };
}

function createRow({ id }: WorkloadView) {
  const link = create('a', { text: id, attributes: { href: addressOf(id) } });
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
  const { state, reason, sources, restartedAt, cause } = workload;
  const left = howLong(workload, now);
  const last = restartedAt === undefined ? '–' : `${instant(restartedAt)}${cause === '' ? '' : `, ${cause}`}`;
  return [workloadDisplay(state).words, reason === '' ? left : `${reason}, ${left}`, sources.join(', ') || '–', last];
}

/** The deadline of a rollout does not indicate how long it will take. */
function howLong({ state, since, until }: WorkloadView, now: number): string {
  if (until === undefined || state === 'rolling') return unbroken(`for ${span(now - since)}`);
  return nextStep(workloadDisplay(state), until, now);
}
