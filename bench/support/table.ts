/** A Markdown table with aligned columns, also for the terminal. Figures are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, column) => {
    const cells = rows.map((row) => row[column] ?? '');
    const width = Math.max(3, title.length, ...cells.map((cell) => cell.length));
    return { width, isFigures: column > 0 && cells.every((cell) => /^(≤ )?[\d.]+( \S+)?$|^$/.test(cell)) };
  });
  const line = (cells: readonly string[]): string => {
    const padded = columns.map(({ width, isFigures }, column) => {
      const cell = cells[column] ?? '';
      return isFigures ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = columns.map(({ width, isFigures }) => (isFigures ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Formats with three significant digits. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return '';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Formats a size in bytes. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  return value < 1_000_000 ? `${figure(value / 1_000)} kB` : `${figure(value / 1_000_000)} MB`;
}
