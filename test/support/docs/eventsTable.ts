import { eventReasons } from '../../../src/reasons/eventReasons.ts';

/** Every reason of `src/reasons` as a Markdown table. */
export function eventsTable(): string {
  const rows = eventReasons
    .flatMap((table) => Object.entries(table))
    .map(
      ([reason, { about, types, actions, meaning }]) =>
        `| \`${reason}\` | ${about} | ${types.join(', ')} | ${actions.join(', ')} | ${meaning} |`,
    );
  return ['| reason | on | type | action | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
