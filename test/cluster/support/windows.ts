const hour = 3_600_000;

/** Maintenance windows of one hour, none of which opens within twelve hours. */
export function closedWindow(): object {
  const opens = new Date(Date.now() + 12 * hour);
  const cron = `${opens.getUTCMinutes()} ${opens.getUTCHours()} ${opens.getUTCDate()} ${opens.getUTCMonth() + 1} *`;
  return { cron, timeZone: 'UTC', duration: '1h' };
}
