import { alignedRows } from '../table.ts';
import type { ChapterResult } from './playChapter.ts';

/** The needed and the actual rollouts of each chapter, as aligned lines without line feeds. */
export function rolloutTable(withWeeder: readonly ChapterResult[], plain: readonly ChapterResult[]): readonly string[] {
  const rows = withWeeder.map((result, index) => {
    const { row, needed } = result.chapter;
    const other = plain[index];
    return [row, String(needed.length), made(result), other === undefined ? '' : made(other)];
  });
  const sums = ['total', String(sum(withWeeder.map(({ chapter }) => chapter.needed.length)))];
  const totals = [withWeeder, plain].map((each) => String(sum(each.map(({ rollouts }) => rollouts.length))));
  return alignedRows([['rollouts', 'needed', 'weeder', 'plain watcher'], ...rows, [...sums, ...totals]]);
}

/** Missed rollouts are shown next to the count. */
function made({ chapter, rollouts }: ChapterResult): string {
  const names = new Set(rollouts.map(({ workload }) => workload.name));
  const missed = chapter.needed.filter((name) => !names.has(name)).length;
  return `${missed === 0 ? '' : `${missed} missed, `}${rollouts.length}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
