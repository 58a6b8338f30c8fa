import type { ChapterResult } from './playChapter.ts';

/** Each change and weeder's reaction, as aligned lines without line feeds. */
export function outcomeTable(results: readonly ChapterResult[]): readonly string[] {
  const rows = results.map(({ chapter: { row, observed }, weeder, took }) => {
    return [row, observed, weeder, took === undefined ? '' : `${milliseconds(took)} ms`];
  });
  const table = [['what is done', 'observed', 'weeder', 'after'], ...rows];
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  return table.map(([row = '', observed = '', weeder = '', after = '']) =>
    [row.padEnd(width(0)), observed.padEnd(width(1)), weeder.padEnd(width(2)), after.padStart(width(3))]
      .join('   ')
      .trimEnd(),
  );
}

/** One sentence for each chapter with an unexpected outcome. */
export function deviationsOf(results: readonly ChapterResult[]): readonly string[] {
  return results.flatMap(({ chapter, isAsExpected }) =>
    isAsExpected ? [] : [`"${chapter.title}" did not go as expected.`],
  );
}

/** Rounded for readers: 7.4, 23. */
export function milliseconds(time: number): string {
  return time < 10 ? time.toFixed(1) : String(Math.round(time));
}
