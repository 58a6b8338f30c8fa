import { observerReasons } from '../../../src/observer/report/reasons.ts';
import { processEventTable } from '../../../src/process/processEvents.ts';
import { restartReasons } from '../../../src/restart/report/reasons.ts';
import { weederReasons } from '../../../src/weeder/report/reasons.ts';

/** Every reason of `src/weeder/report/reasons.ts`, `src/restart/report/reasons.ts`, `src/observer/report/reasons.ts` and `src/process/processEvents.ts` as a Markdown table. */
export function eventsTable(): string {
  const tables = [weederReasons, restartReasons, observerReasons, processEventTable];
  // DeletionSkipped is a reason of two tables.
  const rows = tables
    .flatMap((table) => Object.entries(table))
    .map(
      ([reason, { about, types, actions, meaning }]) =>
        `| \`${reason}\` | ${about} | ${types.join(', ')} | ${actions.join(', ')} | ${meaning} |`,
    );
  return ['| reason | on | type | action | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
