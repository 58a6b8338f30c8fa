import type { TimerHandle } from '@weeder/kube-runtime/base';
import type { Release } from '@weeder/kube-runtime/queue';
import { type AnyEventObject, fromCallback } from 'xstate';
import type { RolloutEffectInput, RolloutEvent } from '../../../machines/restart/rollout.ts';
import type { EffectInput } from '../../../machines/restart/workload.ts';
import { mayRestart, type Permission } from '../pace/mayRestart.ts';
import type { RestartEffects } from '../patches/restartEffects.ts';
import { hasRestarted, statusOf } from '../patches/status.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import type { PendingCause } from '../references/events.ts';
import { awaitRollout } from '../rollout/awaitRollout.ts';

/**
 * A longer wait is checked again after this time: a Node timer cannot span the time to a distant maintenance window.
 */
const longestWait = 3_600_000;

/** Waits until the workload may be restarted, and releases its slot at the end. */
export function restartSlot(effects: RestartEffects) {
  return fromCallback<AnyEventObject, RolloutEffectInput>(({ input, sendBack }) => {
    const entry = effects.entryOf(input.workload);
    if (entry === undefined) return undefined;
    if (input.isUnderWay) return effects.schedule.registerRollout(entry.id);
    return waitForSlot(effects, entry, input, sendBack);
  });
}

/** Returns a function that ends the wait, or releases the slot. */
function waitForSlot(
  effects: RestartEffects,
  entry: WorkloadEntry,
  { changedSince: since = entry.changes.changedAt, hasStalled }: RolloutEffectInput,
  send: (event: RolloutEvent) => void,
): () => void {
  const { clock, schedule, isDryRun } = effects;
  const { actor: rollout } = statusOf(entry);
  let timer: TimerHandle | undefined;
  /** A restart does not wait for weeder's own stalled rollout. */
  let isRolloutOver = hasStalled;
  let stopWaiting = () => {};
  let release: Release | undefined;

  function request(): void {
    const { namespace } = entry.observed.summary.ref;
    release = schedule.requestRestart(
      entry.id,
      { namespace, since },
      { onGranted: () => send({ type: 'slot.granted' }), onPending: (reason) => wait('pace', reason) },
    );
  }

  function awaitRolloutBefore(): void {
    stopWaiting = awaitRollout(effects, entry, {
      onPending: (reason) => wait('rollout', reason),
      onOver() {
        isRolloutOver = true;
        check();
      },
    });
  }

  function wait(cause: PendingCause, reason: string): void {
    send({ type: 'slot.pending', cause, reason });
  }

  function check(): void {
    const verdict = verdictFor(entry, clock.now());
    if (verdict.type === 'allowed') {
      if (isRolloutOver) request();
      else awaitRolloutBefore();
      return;
    }
    const left = verdict.until === undefined ? undefined : Math.max(1, verdict.until - clock.now());
    if (verdict.type === 'blocked') {
      const { cause, reason } = verdict;
      send({ type: 'slot.blocked', cause, reason, ...(left === undefined ? {} : { blockedFor: left }) });
      return;
    }
    wait(verdict.cause, verdict.reason);
    if (left !== undefined) timer = clock.setTimeout(check, Math.min(longestWait, left));
  }

  check();
  return () => {
    clock.clearTimeout(timer);
    stopWaiting();
    release?.({ wasUsed: !isDryRun && hasRestarted(rollout) });
  };
}

function verdictFor({ observed, finding }: WorkloadEntry, now: number): Permission {
  const { summary, settings, annotationErrors } = observed;
  if (settings === undefined)
    return { type: 'blocked', cause: 'other', reason: 'it is no longer managed', until: undefined };
  const restarts = finding?.state?.restarts ?? [];
  return mayRestart({ ...summary, ...settings, now, restarts, annotationErrors });
}

/** Waits until the workload may be adopted: writes to many Deployments at once would delay other rollouts. */
export function adoptionSlot({ schedule }: RestartEffects) {
  return fromCallback<AnyEventObject, EffectInput>(({ input, sendBack }) =>
    schedule.requestAdoption(input.workload, () => sendBack({ type: 'slot.granted' })),
  );
}
