import { oneLine } from '../../base/fieldError.ts';
import { wordsOf } from '../../recording/events.ts';
import type { Difference } from './compare.ts';
import type { TimelineEvent } from './timelineEvent.ts';

/** In a dry run nothing was deleted. */
function wordsFor({ out, detail }: TimelineEvent): string {
  return out === 'pod.deleted' && detail.startsWith('dryRun') ? 'would be deleted' : wordsOf(out);
}

/**
 * Returns one aligned line for each event: the time since the start, the wall time (UTC), the event, and what it is
 * about.
 */
export function timeline(events: readonly TimelineEvent[], startedAt: number): string[] {
  return table(events.map((event) => cellsOf(event, startedAt)));
}

/**
 * Returns one line for each difference: `-` was recorded and not replayed, `+` was replayed and not recorded, `~` was
 * replayed at another time.
 */
export function diffLines(differences: readonly Difference[], startedAt: number): string[] {
  return table(
    differences.map((difference) => {
      const sign = 'replayedAt' in difference ? '~' : difference.type === 'missing' ? '-' : '+';
      const remark = remarkOf(difference, (t) => sinceStart(t).trim());
      return [sign, ...cellsOf(difference.event, startedAt), remark];
    }),
  );
}

/** The decision in words, and how it differs. `timeOf`: writes a time in milliseconds since the start. */
export function differenceWords(difference: Difference, timeOf: (t: number) => string): string {
  return `${wordsFor(difference.event)} ${remarkOf(difference, timeOf)}`;
}

function remarkOf(difference: Difference, timeOf: (t: number) => string): string {
  if ('replayedAt' in difference) return `(replayed at ${timeOf(difference.replayedAt)})`;
  return difference.type === 'missing' ? '(recorded, not replayed)' : '(replayed, not recorded)';
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Wall time in UTC to the millisecond. */
export function wallTime(epoch: number): string {
  return new Date(epoch).toISOString().slice(11, 23);
}

function cellsOf(event: TimelineEvent, startedAt: number): string[] {
  const { t, about, window, pod, detail } = event;
  const where = window === undefined ? about : `${about} #${window}`;
  const what = [pod, detail === '' ? undefined : oneLine(detail)].filter((part) => part !== undefined).join('  ');
  return [sinceStart(t), wallTime(startedAt + t), wordsFor(event), where, what];
}

function sinceStart(ms: number): string {
  return `+${(ms / 1000).toFixed(3)}s`.padStart(11);
}
