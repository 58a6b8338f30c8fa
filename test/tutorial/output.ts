/** What differs from run to run: spaces of tables, the generated end of a pod's name, times, durations. */
const varying = [
  /[ \t]+/,
  /-[b-df-hj-np-tv-xz24-9]{6,10}-[b-df-hj-np-tv-xz24-9]{5}\b/,
  /\b\d{4}-\d\d-\d\dT[\d:.]+Z/,
  /\b(?:\d+(?:\.\d+)?(?:ms|[smhd]))+\b/,
] as const;
const tokens = new RegExp(`(…|${varying.map(({ source }) => source).join('|')})`);

/**
 * Returns whether an output is as a page shows it. Varying parts may differ, `…` is any part of a line, and a line of it
 * any lines. `so far` compares the beginning of an output that continues.
 */
export function isAsShown(shown: readonly string[], output: string, extent: 'complete' | 'so far'): boolean {
  const lines = shown.map((line) => (line.trim() === '…' ? '(?:.*\n)*?' : `${patternOf(line.trimEnd())}[ \t]*\n`));
  return new RegExp(`^${lines.join('')}${extent === 'complete' ? '$' : ''}`).test(output);
}

function patternOf(line: string): string {
  const parts = line.split(tokens).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    if (part === '…') return '.*';
    return varying.find(({ source }) => new RegExp(`^(?:${source})$`).test(part))?.source;
  });
  return parts.join('');
}
