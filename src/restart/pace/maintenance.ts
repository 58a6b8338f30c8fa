import type { MaintenanceWindow } from '../../config/restart.ts';
import { type Schedule, scheduleOf } from '../../config/schema/cron.ts';

/** Whether restarts may begin, as far as maintenance windows go. */
type Maintenance =
  | { readonly is: 'open' }
  /** `opensAt`: epoch milliseconds. `window`: the one that opens then. */
  | { readonly is: 'closed'; readonly opensAt: number | undefined; readonly window: MaintenanceWindow };

/**
 * What the windows say at `now` (epoch milliseconds). A window opens whenever its cron expression says so, and is open
 * for its duration of real time, whatever the clocks of its time zone do meanwhile. Without windows it is always open.
 */
export function maintenanceAt(windows: readonly MaintenanceWindow[], now: number): Maintenance {
  let closed: Extract<Maintenance, { is: 'closed' }> | undefined;
  for (const window of windows) {
    const schedule = scheduleFor(window);
    // The first opening of those whose time is not over: if it has come, the window is open.
    const opensAt = schedule.nextAfter(now - window.duration);
    if (opensAt !== undefined && opensAt <= now) return { is: 'open' };
    if (closed?.opensAt === undefined || (opensAt !== undefined && opensAt < closed.opensAt)) {
      closed = { is: 'closed', opensAt, window };
    }
  }
  return closed ?? { is: 'open' };
}

/** By the window of the config, which stays the same object until the config is read again. */
const schedules = new WeakMap<MaintenanceWindow, Schedule>();

function scheduleFor(window: MaintenanceWindow): Schedule {
  const schedule = schedules.get(window) ?? scheduleOf(window);
  schedules.set(window, schedule);
  return schedule;
}
