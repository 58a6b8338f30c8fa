/** Times are milliseconds since the epoch by the one clock of this machine; lengths are milliseconds, too. */
export interface Span {
  readonly from: number;
  /** Undefined: it goes on. */
  readonly to: number | undefined;
}

export function seconds(count: number): number {
  return count * 1000;
}

export function overlaps({ from, to = Number.POSITIVE_INFINITY }: Span, start: number, end: number): boolean {
  return from <= end && to >= start;
}

/** How long into `start`–`end` the spans reach, all together. */
export function within(spans: readonly Span[], start: number, end: number): number {
  const lengths = spans.map(({ from, to = end }) => Math.max(0, Math.min(to, end) - Math.max(from, start)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
