import type { Downtime } from './downtime.ts';
import { alignedRows } from './table.ts';

/**
 * The downtimes of the same replicas with and without weeder, as aligned lines; `>`: the replica is still down.
 */
export function comparison(withWeeder: readonly Downtime[], without: readonly Downtime[]): readonly string[] {
  const rows = withWeeder.map((own, index) => {
    const alone = without[index];
    return [
      own.pod,
      textOf(own),
      alone === undefined ? '' : textOf(alone),
      alone === undefined ? '' : saved(own, alone),
    ];
  });
  return alignedRows([['downtime', 'with weeder', 'without', 'saved'], ...rows]);
}

function textOf({ total, isDown }: Downtime): string {
  return `${isDown ? '> ' : ''}${seconds(total)}`;
}

/** Unknown for a replica that is still down. */
function saved(own: Downtime, alone: Downtime): string {
  return own.isDown ? '' : textOf({ ...alone, total: Math.max(0, alone.total - own.total) });
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
