import type { ChapterResult } from './playChapters.ts';

/** What was done, and what weeder made of it; as aligned lines without an end. */
export function outcomeTable(results: readonly ChapterResult[]): readonly string[] {
  const rows = results.map(({ chapter: { row, observed }, weeder, took }) => {
    return [row, observed, weeder, took === undefined ? '' : `${milliseconds(took)} ms`];
  });
  const all = [['what is done', 'observed', 'weeder', 'after'], ...rows];
  const width = (column: number) => Math.max(...all.map((row) => row[column]?.length ?? 0));
  return all.map(([row = '', observed = '', weeder = '', after = '']) =>
    [row.padEnd(width(0)), observed.padEnd(width(1)), weeder.padEnd(width(2)), after.padStart(width(3))]
      .join('   ')
      .trimEnd(),
  );
}

/** The chapters that did not go as expected, a sentence each. */
export function deviationsOf(results: readonly ChapterResult[]): readonly string[] {
  return results.flatMap(({ chapter, isAsExpected }) =>
    isAsExpected ? [] : [`"${chapter.title}" did not go as expected.`],
  );
}

/** As people read it: 7.4, 23. */
export function milliseconds(time: number): string {
  return time < 10 ? time.toFixed(1) : String(Math.round(time));
}
