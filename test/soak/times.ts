/** A period of time. Milliseconds since the epoch, by the clock of this machine. */
export interface Span {
  readonly from: number;
  /** Undefined if it has not ended. */
  readonly to: number | undefined;
}

export function seconds(count: number): number {
  return count * 1000;
}

export function overlaps({ from, to = Number.POSITIVE_INFINITY }: Span, start: number, end: number): boolean {
  return from <= end && to >= start;
}

/** The total length of the spans within `start`–`end`. Milliseconds. */
export function within(spans: readonly Span[], start: number, end: number): number {
  const lengths = spans.map(({ from, to = end }) => Math.max(0, Math.min(to, end) - Math.max(from, start)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
