import { type EffectInput, workload } from '../../../machines/restart/workload.ts';
import { effectLogic } from '../../actors/effect.ts';
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

/** The `workload` machine with its effects. */
export function provideWorkload(effects: RestartEffects): WorkloadLogic {
  const { entryOf, inFlight, random } = effects;

  const invoking = (refusal: `${string}.refused`, effect: WorkloadEffect) =>
    effectLogic<EffectInput>({ refusal, random, inFlight: () => inFlight }, (input, signal, defer) => {
      const entry = entryOf(input.workload);
      return entry === undefined ? Promise.resolve({ type: 'workload.deleted' }) : effect(entry, input, signal, defer);
    });

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
