import { observerReasons } from '../../../src/observer/report/reasons.ts';
import { processEventTable } from '../../../src/process/processEvents.ts';
import { restartReasons } from '../../../src/restart/report/reasons.ts';
import { weederReasons } from '../../../src/weeder/report/reasons.ts';

const tables = [weederReasons, restartReasons, observerReasons, processEventTable];

/** The names of all reasons. The config reads them from a file, because it imports no controller. */
export function eventReasons(): readonly string[] {
  return [...new Set(tables.flatMap((table) => Object.keys(table)))].sort();
}

/** Every reason of `src/weeder/report/reasons.ts`, `src/restart/report/reasons.ts`, `src/observer/report/reasons.ts` and `src/process/processEvents.ts` as a Markdown table. */
export function eventsTable(): string {
  // DeletionSkipped is a reason of two tables.
  const rows = tables
    .flatMap((table) => Object.entries(table))
    .map(
      ([reason, { about, types, actions, meaning }]) =>
        `| \`${reason}\` | ${about} | ${types.join(', ')} | ${actions.join(', ')} | ${meaning} |`,
    );
  return ['| reason | on | type | action | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
