import type { Clock } from '@weeder/kube-runtime/base';
import { createLimitedQueue, type Release } from '@weeder/kube-runtime/queue';
import type { RestartConfig } from '../../config/restart.ts';

export type ScheduleLimits = Pick<
  RestartConfig,
  'maxRestartsPerMinute' | 'burst' | 'maxConcurrentRollouts' | 'maxAdoptionsPerMinute'
>;

interface SlotListener {
  /** Called once when the workload may be restarted, possibly before `requestRestart` returns. */
  readonly onGranted: () => void;
  /** Called with a sentence when the workload has to wait for others, and again when the limits change meanwhile. */
  readonly onPending: (reason: string) => void;
}

/**
 * Decides which of all workloads may be adopted or restarted now. At most `burst` restarts begin at once and
 * `maxRestartsPerMinute` from then on, and at most `maxConcurrentRollouts` are active together; the namespaces take
 * turns, and in each the oldest change is first.
 */
export interface RestartSchedule {
  /**
   * `since`: when the change was first observed, by a clock that all callers share. The slot is held until it is
   * released, at the end of the rollout; a slot that was not needed is released with `{ wasUsed: false }`. A second
   * request for the same workload is a bug of the caller, and throws.
   */
  requestRestart(
    key: string,
    from: { readonly namespace: string; readonly since: number },
    listener: SlotListener,
  ): Release;
  /**
   * Registers a rollout that is active already, such as after weeder itself restarted: it takes a slot without waiting
   * for one.
   */
  registerRollout(key: string): Release;
  /** The same for adoptions, first come, first served. The caller releases this slot too. */
  requestAdoption(key: string, onGranted: () => void): Release;
  /** Applies other limits: to be called when the config has changed. */
  limitsChanged(): void;
  /** Grants no more slots. */
  close(): void;
  /** The number of workloads that wait for a restart, and of active rollouts. */
  readonly restarts: { readonly waiting: number; readonly active: number };
  readonly adoptions: { readonly waiting: number };
}

/** The adoptions of this many seconds may come at once, so that a few new workloads do not wait for each other. */
const adoptionBurst = 5;

export function createRestartSchedule(options: {
  readonly clock: Clock;
  readonly limits: () => ScheduleLimits;
}): RestartSchedule {
  const { clock, limits } = options;
  const restarts = createLimitedQueue(() => ({ atOnce: limits().maxConcurrentRollouts }), {
    clock,
    rate() {
      const { maxRestartsPerMinute, burst } = limits();
      return { perMinute: maxRestartsPerMinute, burst };
    },
  });
  const adoptions = createLimitedQueue(() => ({ atOnce: Number.POSITIVE_INFINITY }), {
    clock,
    rate() {
      const { maxAdoptionsPerMinute } = limits();
      return { perMinute: maxAdoptionsPerMinute, burst: Math.floor((maxAdoptionsPerMinute / 60) * adoptionBurst) };
    },
  });

  function reason(): string {
    const { maxRestartsPerMinute, maxConcurrentRollouts } = limits();
    const rollouts = `${maxConcurrentRollouts} rollout${maxConcurrentRollouts === 1 ? '' : 's'} at once`;
    const limit = `${maxRestartsPerMinute} restart${maxRestartsPerMinute === 1 ? '' : 's'} a minute`;
    return `others are ahead of it: at most ${rollouts} (maxConcurrentRollouts) and ${limit} (maxRestartsPerMinute)`;
  }

  return {
    requestRestart: (key, { namespace, since }, { onGranted, onPending: onWaits }) =>
      restarts.enter({
        key,
        share: { outer: namespace, inner: '' },
        since,
        onGranted,
        onWaits: () => onWaits(reason()),
      }),
    registerRollout: (key) => restarts.hold(key),
    requestAdoption: (key, onGranted) => adoptions.enter({ key, since: clock.monotonic(), onGranted }),
    limitsChanged() {
      restarts.limitsChanged();
      adoptions.limitsChanged();
    },
    close() {
      restarts.close();
      adoptions.close();
    },
    restarts,
    adoptions,
  };
}
