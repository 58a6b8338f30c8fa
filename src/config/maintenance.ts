import { type Clock, timeInSeconds } from '@weeder/kube-runtime/base';
import { type Schedule, scheduleOf } from './schema/cron.ts';

/** A recurring time in which something may begin: for `duration` from each time that the cron expression matches. */
export interface MaintenanceWindow {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  /** Milliseconds. */
  readonly duration: number;
}

/** Whether a maintenance window is open. */
type Maintenance = { readonly type: 'open' } | ClosedMaintenance;

/** No maintenance window is open. */
interface ClosedMaintenance {
  readonly type: 'closed';
  /** When the next one opens. Epoch milliseconds. */
  readonly opensAt: number | undefined;
  /** That one. */
  readonly window: MaintenanceWindow;
}

/**
 * Returns the state of the windows at `now` (epoch milliseconds). A window opens whenever its cron expression says so,
 * and is open for its duration of elapsed time, even across clock changes of its time zone. Without windows, it is
 * always open.
 */
export function maintenanceAt(windows: readonly MaintenanceWindow[], now: number): Maintenance {
  let closed: ClosedMaintenance | undefined;
  for (const window of windows) {
    const schedule = scheduleFor(window);
    // This is the first opening that is not over yet: if it is in the past, the window is open.
    const opensAt = schedule.nextAfter(now - window.duration);
    if (opensAt !== undefined && opensAt <= now) return { type: 'open' };
    if (closed?.opensAt === undefined || (opensAt !== undefined && opensAt < closed.opensAt)) {
      closed = { type: 'closed', opensAt, window };
    }
  }
  return closed ?? { type: 'open' };
}

/** When the next maintenance window opens, by the monotonic clock in milliseconds. 0: one is open. */
export function maintenanceOpensAt(
  windows: readonly MaintenanceWindow[],
  clock: Pick<Clock, 'now' | 'monotonic'>,
): number {
  const now = clock.now();
  const state = maintenanceAt(windows, now);
  return state.type === 'open' ? 0 : clock.monotonic() + (state.opensAt ?? Number.MAX_SAFE_INTEGER) - now;
}

/** Why nothing begins now, in a clause. */
export function closedWords({ opensAt, window: { cron, timeZone, duration } }: ClosedMaintenance): string {
  const opens =
    opensAt === undefined
      ? 'and none will open'
      : `the next opens at ${timeInSeconds(opensAt)} and closes at ${timeInSeconds(opensAt + duration)}`;
  return `no maintenance window is open, ${opens} ("${cron}" in ${timeZone})`;
}

/** Keyed by the window of the config, which stays the same object until the config is read again. */
const schedules = new WeakMap<MaintenanceWindow, Schedule>();

function scheduleFor(window: MaintenanceWindow): Schedule {
  const schedule = schedules.get(window) ?? scheduleOf(window);
  schedules.set(window, schedule);
  return schedule;
}
