import type { Downtime } from './downtime.ts';

/**
 * The downtimes of the same replicas with and without weeder, as aligned lines without an end; `>`: it is down still.
 */
export function comparison(withWeeder: readonly Downtime[], without: readonly Downtime[]): readonly string[] {
  const rows = withWeeder.map((own, index) => {
    const alone = without[index];
    return [own.pod, said(own), alone === undefined ? '' : said(alone), alone === undefined ? '' : saved(own, alone)];
  });
  const table = [['downtime', 'with weeder', 'without', 'saved'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
}

function said({ total, isDown }: Downtime): string {
  return `${isDown ? '> ' : ''}${seconds(total)}`;
}

/** Nobody knows it of a replica that is not back. */
function saved(own: Downtime, alone: Downtime): string {
  return own.isDown ? '' : said({ ...alone, total: Math.max(0, alone.total - own.total) });
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
