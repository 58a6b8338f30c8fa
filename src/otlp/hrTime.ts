import type { HrTime } from '@opentelemetry/api';

/** OpenTelemetry takes a number that is before the start of the process for a time since its start. */
export function hrTimeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1_000_000)];
}
