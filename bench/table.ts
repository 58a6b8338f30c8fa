/** A Markdown table whose columns line up, so that it can be read on a terminal too; all but the first to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? '';
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Three significant digits are what such a measurement is good for. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return '';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Sizes in bytes, as people write them. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  return value < 1_000_000 ? `${figure(value / 1_000)} kB` : `${figure(value / 1_000_000)} MB`;
}
