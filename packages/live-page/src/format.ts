const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const number = new Intl.NumberFormat('en-GB');

/** `14:03:07`, in the browser's time zone. `at`: epoch milliseconds. */
export function clockTime(at: number): string {
  return time.format(at);
}

/** `14:03:07` of today, `20 Nov 2026, 14:03:07` of another day. Epoch milliseconds. */
export function dayAndTime(at: number, now: number): string {
  const [date, today] = [day.format(at), day.format(now)];
  return date === today ? clockTime(at) : `${date}, ${clockTime(at)}`;
}

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

/** Formats `ready.windowOpen.settled` as `ready › windowOpen › settled`. */
export function statePath(state: string): string {
  return state.replaceAll('.', ' › ');
}

/** The active states without an active substate. */
export function innermost(states: readonly string[]): string[] {
  return states.filter((state) => !states.some((other) => other.startsWith(`${state}.`)));
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}
