import { observerEventTable } from '../../src/observer/eventTable.ts';
import { processEventTable } from '../../src/processEvents.ts';
import { restartEventTable } from '../../src/restart/eventTable.ts';
import { eventTable } from '../../src/weeder/eventTable.ts';

/** Every reason of `src/weeder/eventTable.ts`, `src/restart/eventTable.ts`, `src/observer/eventTable.ts` and `src/processEvents.ts` as a Markdown table. */
export function eventsTable(): string {
  const rows = Object.entries({ ...eventTable, ...restartEventTable, ...observerEventTable, ...processEventTable }).map(
    ([reason, { about, types, actions, meaning }]) =>
      `| \`${reason}\` | ${about} | ${types.join(', ')} | ${actions.join(', ')} | ${meaning} |`,
  );
  return ['| reason | on | type | action | what it says |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
