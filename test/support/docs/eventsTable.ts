import { observerEventTable } from '../../../src/observer/report/eventTable.ts';
import { processEventTable } from '../../../src/process/processEvents.ts';
import { restartEventTable } from '../../../src/restart/report/eventTable.ts';
import { eventTable } from '../../../src/weeder/report/eventTable.ts';

/** Every reason of `src/weeder/report/eventTable.ts`, `src/restart/report/eventTable.ts`, `src/observer/report/eventTable.ts` and `src/process/processEvents.ts` as a Markdown table. */
export function eventsTable(): string {
  const tables = [eventTable, restartEventTable, observerEventTable, processEventTable];
  // DeletionSkipped is a reason of two tables.
  const rows = tables
    .flatMap((table) => Object.entries(table))
    .map(
      ([reason, { about, types, actions, meaning }]) =>
        `| \`${reason}\` | ${about} | ${types.join(', ')} | ${actions.join(', ')} | ${meaning} |`,
    );
  return ['| reason | on | type | action | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
