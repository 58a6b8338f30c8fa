import { printable } from '../../base/printable.ts';
import type { ReadEvent } from '../writtenEvents.ts';

/** The columns of `kubectl events`. */
const columns = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'] as const;
/** So that the rows of a watch, which come one by one, are below each other. */
const leastWidths = [9, 7, 17, 24, 0];

/** A header, and a row for each Event. `now`: epoch milliseconds. */
export function eventTable(events: readonly ReadEvent[], now: number, allNamespaces: boolean): string[] {
  return inColumns([headerOf(allNamespaces), ...events.map((event) => rowOf(event, now, allNamespaces))]);
}

/** The row of one more Event. */
export function eventRow(event: ReadEvent, now: number, allNamespaces: boolean): string {
  return inColumns([rowOf(event, now, allNamespaces)]).join();
}

function headerOf(allNamespaces: boolean): readonly string[] {
  return allNamespaces ? ['NAMESPACE', ...columns] : columns;
}

function rowOf({ at, count, type, reason, about, note }: ReadEvent, now: number, allNamespaces: boolean): string[] {
  const seen = `${ageText(now - at)}${count > 1 ? ` (x${count})` : ''}`;
  const row = [seen, type, reason, `${about.kind}/${about.name}`, note].map(printable);
  return allNamespaces ? [printable(about.namespace), ...row] : row;
}

function inColumns(rows: readonly (readonly string[])[]): string[] {
  const least = (rows[0]?.length ?? 0) > leastWidths.length ? [12, ...leastWidths] : leastWidths;
  const widths = least.map((width, column) => Math.max(width, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

/** As kubectl shows an age: `42s`, `5m3s`, `17m`, `3h`. */
function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  return minutes < 180 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
