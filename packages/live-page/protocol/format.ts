const number = new Intl.NumberFormat('en-GB');

/** `1,234` */
export function count(value: number): string {
  return number.format(value);
}

/** `2h 05m`, `4m 05s`, `12s`: the two largest units. Milliseconds; negative values count as zero. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}h ${padded(minutes)}m`;
  if (minutes > 0) return `${minutes}m ${padded(seconds % 60)}s`;
  return `${seconds}s`;
}

/** `2026-11-21T13:03:07.000Z`: a time in a text for `setTimedText`. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}
