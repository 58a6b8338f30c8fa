import { observerStates, type StateDisplay, serviceStates, workloadStates } from '@weeder/live-page';
import type { AnyStateNode } from 'xstate';
import { endpoint } from '../../../machines/weeder/endpoint.ts';
import { observerTable } from '../../../src/observer/report/observerTable.ts';
import { restartTable } from '../../../src/restart/report/restartTable.ts';
import { weederTable } from '../../../src/weeder/report/weederTable.ts';

const states: Readonly<Record<string, Readonly<Record<string, StateDisplay>>>> = {
  Service: serviceStates,
  workload: workloadStates,
  'Application, resource': observerStates,
};

/** The words for the states of each kind of object as a Markdown table: one row for all states with the same words. */
export function statesTable(): string {
  const rows = Object.entries(states).flatMap(([kind, table]) =>
    [...Map.groupBy(Object.entries(table), ([, { words }]) => words)].map(([words, same]) => {
      const next = new Set(same.map(([, display]) => display.next));
      const ids = same.map(([id]) => id).filter((id) => table !== serviceStates || isStateOf(endpoint.root, id));
      return [kind, words, idsOf(ids), [...next].filter((each) => each !== '').join(', ')];
    }),
  );
  return tableOf(['of', 'in words', 'ids', 'what comes next'], rows);
}

/** The words for the events of each controller, in timelines, as a Markdown table. */
export function momentsTable(): string {
  const tables = { weeder: weederTable, 'restart control': restartTable, observer: observerTable };
  const rows = Object.entries(tables).flatMap(([controller, table]) =>
    [...Map.groupBy(Object.entries(table), ([, { words }]) => words)].map(([words, same]) => [
      controller,
      words,
      idsOf(same.map(([id]) => id)),
    ]),
  );
  return tableOf(['of', 'in words', 'ids'], rows);
}

/** Some services have words, but no machine that is in a state. */
function isStateOf(root: AnyStateNode, path: string): boolean {
  const find = (node: AnyStateNode | undefined, name: string) => node?.states[name];
  return path.split('.').reduce(find, root) !== undefined;
}

function idsOf(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
