import { type AnyEventObject, fromCallback } from 'xstate';
import type { EffectInput } from '../../../machines/restart/workload.ts';
import type { RestartEffects } from '../effects/restartEffects.ts';

/** Waits until it may be adopted: writes to many Deployments at once would hold up the rollouts of others. */
export function adoptionTurn({ turns }: RestartEffects) {
  return fromCallback<AnyEventObject, EffectInput>(({ input, sendBack }) =>
    turns.askToAdopt(input.workload, () => sendBack({ type: 'turn.granted' })),
  );
}
