const hour = 3_600_000;

/** Maintenance windows of one hour, none of which opens within twelve hours. */
export function closedWindow(): object {
  const opens = new Date(Date.now() + 12 * hour);
  const cron = `${opens.getUTCMinutes()} ${opens.getUTCHours()} ${opens.getUTCDate()} ${opens.getUTCMonth() + 1} *`;
  return { cron, timeZone: 'UTC', duration: '1h' };
}

/** The time in a day, as the API server stores times. */
export function tomorrow(): string {
  return new Date(Date.now() + 24 * hour).toISOString().replace(/\.\d+Z$/, 'Z');
}
