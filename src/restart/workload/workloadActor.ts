import { type AnyEventObject, fromCallback } from 'xstate';
import { type EffectInput, workload } from '../../../machines/restart/workload.ts';
import { messageOf } from '../../base/errors.ts';
import { track } from '../../base/promises.ts';
import type { Question, RestartEffects } from '../effects/restartEffects.ts';
import { followRollout } from '../rollout/followRollout.ts';
import { restoreWorkload } from '../rollout/replaceAll.ts';
import { proveWorkload } from '../rollout/verifyPods.ts';
import { assessWorkload } from './assessWorkload.ts';
import { reportsOf } from './reportWorkload.ts';
import { adoptionSlot, restartSlot } from './restartSlot.ts';
import { restartWorkload } from './restartWorkload.ts';
import { writeState } from './writeState.ts';

export type WorkloadLogic = typeof workload;

const ended = new Error('nobody waits for this any more');

/** The `workload` machine with its effects. */
export function provideWorkload(effects: RestartEffects): WorkloadLogic {
  const { entryOf, inFlight, random } = effects;

  /** A question that fails in an unforeseen way is a mistake in weeder: it is reported, and asked again after a pause. */
  function asking(refusal: `${string}.refused`, ask: Question) {
    return fromCallback<AnyEventObject, EffectInput>(({ input, sendBack }) => {
      const entry = entryOf(input.workload);
      if (entry === undefined) {
        sendBack({ type: 'workload.gone' });
        return undefined;
      }
      const stop = new AbortController();
      // By question, and not by workload: the answer to one begins the next before this one's end.
      const afterwards: (() => void)[] = [];
      const asked = ask(entry, input, stop.signal, (work) => afterwards.push(work))
        .then(
          (event) => sendBack({ ...event, jitter: random() }),
          (error) => sendBack({ type: refusal, reason: messageOf(error), jitter: random() }),
        )
        .finally(() => {
          for (const work of afterwards) work();
        });
      track(inFlight, asked);
      return () => stop.abort(ended);
    });
  }

  return workload.provide({
    actors: {
      assess: asking('assessed.refused', assessWorkload(effects)),
      adoptionSlot: adoptionSlot(effects),
      restartSlot: restartSlot(effects),
      verifyPods: asking('verified.refused', proveWorkload(effects)),
      restart: asking('restart.refused', restartWorkload(effects)),
      followRollout: followRollout(effects),
      restore: asking('restore.refused', restoreWorkload(effects)),
      writeState: asking('state.refused', writeState(effects)),
    },
    actions: reportsOf(effects),
  });
}
