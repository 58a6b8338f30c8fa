import { type AnyEventObject, fromCallback } from 'xstate';
import type { EffectInput, WorkloadEvent } from '../../machines/restart/workload.ts';
import type { TimerHandle } from '../clock.ts';
import type { WaitCause } from './facts.ts';
import { isTurningOver, watchForeignRollout } from './foreignRollout.ts';
import { mayRestart, type Permission } from './mayRestart.ts';
import type { Release } from './pacedQueue.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** What is further away is asked again then: a Node timer cannot count as far as a maintenance window may be. */
const longestWait = 3_600_000;
/** Where no newer version of the workload tells that a rollout goes on, it is looked at after this time. Milliseconds. */
const lookEvery = 5_000;

/** Waits for everything that a restart has to wait for, and gives its place back in the end. */
export function restartTurn(effects: RestartEffects) {
  return fromCallback<AnyEventObject, EffectInput>(({ input, sendBack }) => {
    const entry = effects.entryOf(input.workload);
    if (entry === undefined) return undefined;
    if (input.isUnderWay) return effects.turns.holdRollout(entry.id);
    return waitForTurn(effects, entry, input.changedSince ?? entry.changedAt, sendBack);
  });
}

/** Returns what ends the waiting, or gives the place back. */
function waitForTurn(
  effects: RestartEffects,
  entry: WorkloadEntry,
  since: number,
  send: (event: WorkloadEvent) => void,
): () => void {
  const { clock, turns, report, inFlight } = effects;
  const isForeign = watchForeignRollout(effects, entry);
  const stop = new AbortController();
  let timer: TimerHandle | undefined;
  let isLooking = false;
  let release: Release | undefined;

  function ask(): void {
    const { namespace } = entry.facts.ref;
    release = turns.askToRestart(
      entry.id,
      { namespace, since },
      { onGranted: () => send({ type: 'turn.granted' }), onWaits: (reason) => wait('pace', reason) },
    );
  }

  function wait(cause: WaitCause, reason: string): void {
    entry.cause = cause;
    send({ type: 'turn.waits', reason });
  }

  function look(): void {
    const verdict = verdictFor(entry, clock.now());
    if (verdict.is === 'now') {
      lookAtRollout();
      return;
    }
    const left = verdict.until === undefined ? undefined : Math.max(1, verdict.until - clock.now());
    if (verdict.is === 'held') {
      entry.cause = verdict.cause;
      send({ type: 'turn.held', reason: verdict.reason, ...(left === undefined ? {} : { heldFor: left }) });
      return;
    }
    wait(verdict.cause, verdict.reason);
    if (left !== undefined) timer = clock.setTimeout(look, Math.min(longestWait, left));
  }

  /** It waits for the end of somebody else's rollout, which each newer version of the workload may tell. */
  function lookAtRollout(): void {
    if (!isTurningOver(entry)) {
      ask();
      return;
    }
    isLooking = true;
    const looked = isForeign(stop.signal).then(
      (isRolling) => {
        isLooking = false;
        if (stop.signal.aborted) return;
        if (!isRolling) {
          ask();
          return;
        }
        wait('rollout', 'a rollout that somebody else has begun is under way');
        timer = clock.setTimeout(look, lookEvery);
      },
      (error: unknown) => report({ type: 'actor.failed', actor: `restartTurn of ${entry.id}`, error }),
    );
    inFlight.add(looked);
    void looked.finally(() => inFlight.delete(looked));
  }

  function lookAgain(): void {
    if (release !== undefined || isLooking || entry.cause !== 'rollout') return;
    clock.clearTimeout(timer);
    look();
  }

  entry.hasRestarted = false;
  entry.watchers.add(lookAgain);
  look();
  return () => {
    stop.abort();
    entry.watchers.delete(lookAgain);
    clock.clearTimeout(timer);
    release?.({ wasUsed: entry.hasRestarted });
  };
}

function verdictFor({ facts, settings, finding, faults }: WorkloadEntry, now: number): Permission {
  if (settings === undefined)
    return { is: 'held', cause: 'other', reason: 'it is looked after no more', until: undefined };
  const restarts = finding?.state?.restarts ?? [];
  return mayRestart({ ...facts, ...settings, now, restarts, faults });
}
