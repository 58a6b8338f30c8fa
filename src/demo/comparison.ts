import type { Downtime } from './downtime.ts';

/** The downtimes of the same replicas with and without weeder, as aligned lines without an end. */
export function comparison(withWeeder: readonly Downtime[], without: readonly Downtime[]): readonly string[] {
  const rows = withWeeder.map(({ pod, total }, index) => {
    const alone = without[index]?.total ?? 0;
    return [pod, seconds(total), seconds(alone), seconds(Math.max(0, alone - total))];
  });
  const table = [['downtime', 'with weeder', 'without', 'saved'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   '),
  );
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
