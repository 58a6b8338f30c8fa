import { type AnyEventObject, fromCallback } from 'xstate';
import { type EffectInput, workload } from '../../../machines/restart/workload.ts';
import { messageOf } from '../../base/errors.ts';
import { track } from '../../base/promises.ts';
import type { RestartEffects, WorkloadEffect } from '../effects/restartEffects.ts';
import { followRollout } from '../rollout/followRollout.ts';
import { restoreWorkload } from '../rollout/replaceAll.ts';
import { verifyPods } from '../rollout/verifyPods.ts';
import { assessWorkload } from './assessWorkload.ts';
import { reportsOf } from './reportWorkload.ts';
import { adoptionSlot, restartSlot } from './restartSlot.ts';
import { restartWorkload } from './restartWorkload.ts';
import { writeState } from './writeState.ts';

export type WorkloadLogic = typeof workload;

const ended = new Error('the caller no longer waits');

/** The `workload` machine with its effects. */
export function provideWorkload(effects: RestartEffects): WorkloadLogic {
  const { entryOf, inFlight, random } = effects;

  /** An effect that throws is a bug in weeder: the error is reported, and the effect is retried after a pause. */
  function invoking(refusal: `${string}.refused`, effect: WorkloadEffect) {
    return fromCallback<AnyEventObject, EffectInput>(({ input, sendBack }) => {
      const entry = entryOf(input.workload);
      if (entry === undefined) {
        sendBack({ type: 'workload.gone' });
        return undefined;
      }
      const stop = new AbortController();
      // Deferred per effect, and not per workload: the result of one effect starts the next before the first has ended.
      const deferred: (() => void)[] = [];
      const answered = effect(entry, input, stop.signal, (work) => deferred.push(work))
        .then(
          (event) => sendBack({ ...event, jitter: random() }),
          (error) => sendBack({ type: refusal, reason: messageOf(error), jitter: random() }),
        )
        .finally(() => {
          for (const work of deferred) work();
        });
      track(inFlight, answered);
      return () => stop.abort(ended);
    });
  }

  return workload.provide({
    actors: {
      assess: invoking('assessed.refused', assessWorkload(effects)),
      adoptionSlot: adoptionSlot(effects),
      restartSlot: restartSlot(effects),
      verifyPods: invoking('verified.refused', verifyPods(effects)),
      restart: invoking('restart.refused', restartWorkload(effects)),
      followRollout: followRollout(effects),
      restore: invoking('restore.refused', restoreWorkload(effects)),
      writeState: invoking('state.refused', writeState(effects)),
    },
    actions: reportsOf(effects),
  });
}
