/** The p-th percentile (0 to 100) by the nearest rank: always one of the values, and the maximum for 100. */
export function percentile(values: readonly number[], p: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((p / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The median. NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}

/** Rounds to this number of decimal places. */
export function rounded(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
