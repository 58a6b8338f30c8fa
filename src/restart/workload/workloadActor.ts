import type { AnyEventObject } from 'xstate';
import { type RolloutEffectInput, rollout } from '../../../machines/restart/rollout.ts';
import { type EffectInput, workload } from '../../../machines/restart/workload.ts';
import { effectLogic } from '../../actors/effect.ts';
import type { RestartEffect, RestartEffects } from '../patches/restartEffects.ts';
import { followRollout } from '../rollout/followRollout.ts';
import { restoreWorkload } from '../rollout/replaceAll.ts';
import { verifyPods } from '../rollout/verifyPods.ts';
import { assessWorkload } from './assessWorkload.ts';
import { reportsOf } from './reportWorkload.ts';
import { adoptionSlot, restartSlot } from './restartSlot.ts';
import { restartWorkload } from './restartWorkload.ts';
import { writeState } from './writeState.ts';

export type WorkloadLogic = typeof workload;

/** The `workload` machine with its effects, including its child machine. */
export function provideWorkload(effects: RestartEffects): WorkloadLogic {
  const { entryOf, inFlight, random } = effects;

  function invoking<Input extends EffectInput | RolloutEffectInput>(effect: RestartEffect<Input, AnyEventObject>) {
    const actorOf = ({ workload: id }: Input) => id;
    const options = { failure: 'effect.failed', random, actorOf, inFlight: () => inFlight };
    return effectLogic<Input>(options, (input, signal, defer) => {
      const entry = entryOf(input.workload);
      return entry === undefined ? Promise.resolve({ type: 'workload.deleted' }) : effect(entry, input, signal, defer);
    });
  }

  const { reportPending, reportRestarted, reportStalled, ...reports } = reportsOf(effects);
  return workload.provide({
    actors: {
      assess: invoking(assessWorkload(effects)),
      adoptionSlot: adoptionSlot(effects),
      rollout: rollout.provide({
        actors: {
          restartSlot: restartSlot(effects),
          verifyPods: invoking(verifyPods(effects)),
          restart: invoking(restartWorkload(effects)),
          followRollout: followRollout(effects),
          restore: invoking(restoreWorkload(effects)),
        },
        actions: { reportPending, reportRestarted, reportStalled },
      }),
      writeState: invoking(writeState(effects)),
    },
    actions: reports,
  });
}
