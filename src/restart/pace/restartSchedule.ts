import type { Clock } from '../../base/clock.ts';
import type { RestartConfig } from '../../config/restart.ts';
import { createRateLimitedQueue, type Release } from '../../queue/rateLimitedQueue.ts';

export type ScheduleLimits = Pick<
  RestartConfig,
  'maxRestartsPerMinute' | 'burst' | 'maxConcurrentRollouts' | 'maxAdoptionsPerMinute'
>;

interface SlotListener {
  /** Called once when the workload may be restarted, which may be at once, before `askToRestart` returns. */
  readonly onGranted: () => void;
  /** Called with a sentence when it has to wait for others, and again when the limits change meanwhile. */
  readonly onPending: (reason: string) => void;
}

/**
 * Who may be adopted or restarted now, of all workloads. Restarts begin at most `burst` at once and
 * `maxRestartsPerMinute` from then on, and at most `maxConcurrentRollouts` are under way together; the namespaces take
 * turns, and in each the oldest change is first.
 */
export interface RestartSchedule {
  /**
   * `since`: when the change was first seen, by whatever clock all who ask go by. The place is held until it is
   * released, at the end of the rollout; a turn that was not needed is released with `{ wasUsed: false }`. To ask twice
   * for one workload is a mistake of the caller, and throws.
   */
  requestRestart(
    key: string,
    from: { readonly namespace: string; readonly since: number },
    told: SlotListener,
  ): Release;
  /** A rollout that is under way already, as after a restart of weeder: it takes a place, and waits for none. */
  registerRollout(key: string): Release;
  /** The same for adoptions, first come, first served. Whoever had a turn releases it at the end too. */
  requestAdoption(key: string, onGranted: () => void): Release;
  /** Other limits are in force: to be called when the config has changed. */
  limitsChanged(): void;
  /** Gives no turns any more. */
  close(): void;
  /** How many wait for a restart, and how many rollouts are under way. */
  readonly restarts: { readonly waiting: number; readonly active: number };
  readonly adoptions: { readonly waiting: number };
}

/** So many seconds' worth of adoptions may come at once: a few new workloads do not wait for each other. */
const adoptionBurst = 5;
const everyNamespace = '';

export function createRestartSchedule(options: {
  readonly clock: Clock;
  readonly limits: () => ScheduleLimits;
}): RestartSchedule {
  const { clock, limits } = options;
  const restarts = createRateLimitedQueue(clock, () => {
    const { maxRestartsPerMinute, burst, maxConcurrentRollouts } = limits();
    return { perMinute: maxRestartsPerMinute, burst, atOnce: maxConcurrentRollouts };
  });
  const adoptions = createRateLimitedQueue(clock, () => {
    const { maxAdoptionsPerMinute } = limits();
    const burst = Math.floor((maxAdoptionsPerMinute / 60) * adoptionBurst);
    return { perMinute: maxAdoptionsPerMinute, burst, atOnce: Number.POSITIVE_INFINITY };
  });

  function reason(): string {
    const { maxRestartsPerMinute, maxConcurrentRollouts } = limits();
    const rollouts = `${maxConcurrentRollouts} rollout${maxConcurrentRollouts === 1 ? '' : 's'} at once`;
    const each = `${maxRestartsPerMinute} restart${maxRestartsPerMinute === 1 ? '' : 's'} a minute`;
    return `others are before it: at most ${rollouts} (maxConcurrentRollouts) and ${each} (maxRestartsPerMinute)`;
  }

  return {
    requestRestart: (key, { namespace, since }, { onGranted, onPending: onWaits }) =>
      restarts.enter({ key, namespace, since, onGranted, onWaits: () => onWaits(reason()) }),
    registerRollout: (key) => restarts.hold(key),
    requestAdoption: (key, onGranted) =>
      adoptions.enter({ key, namespace: everyNamespace, since: clock.monotonic(), onGranted }),
    limitsChanged() {
      restarts.rateLimitChanged();
      adoptions.rateLimitChanged();
    },
    close() {
      restarts.close();
      adoptions.close();
    },
    restarts,
    adoptions,
  };
}
