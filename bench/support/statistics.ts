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

/** The largest number of times in any interval of this length, without its end. */
export function mostWithin(times: readonly number[], length: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, time] of sorted.entries()) {
    while ((sorted[first] ?? time) <= time - length) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Rounds to this number of decimal places. */
export function rounded(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
