import { type AnyEventObject, fromCallback } from 'xstate';
import type { EffectInput } from '../../machines/restart/workload.ts';
import type { TimerHandle } from '../clock.ts';
import { mayRestart } from './mayRestart.ts';
import type { RestartEffects } from './restartEffects.ts';

/** The longest that a Node timer counts; what is further away is asked again then. Milliseconds. */
const longestWait = 3_600_000;

/** Waits for everything that a restart has to wait for, and gives its place back in the end. */
export function restartTurn({ clock, turns, entryOf }: RestartEffects) {
  return fromCallback<AnyEventObject, EffectInput>(({ input, sendBack }) => {
    let timer: TimerHandle | undefined;
    let release: ((how: { readonly wasUsed: boolean }) => void) | undefined;
    const entry = entryOf(input.workload);
    if (entry === undefined) return undefined;
    if (input.isUnderWay) return turns.holdRollout(entry.id);
    entry.hasRestarted = false;

    function look(): void {
      const settings = entry?.settings;
      if (entry === undefined || settings === undefined) return;
      const now = clock.now();
      const verdict = mayRestart({ facts: entry.facts, settings, state: entry.finding?.state, now });
      switch (verdict.is) {
        case 'held':
          sendBack({
            type: 'turn.held',
            reason: verdict.reason,
            ...(verdict.until === undefined ? {} : { heldFor: Math.max(0, verdict.until - now) }),
          });
          return;
        case 'waits':
          sendBack({ type: 'turn.waits', reason: verdict.reason });
          timer = clock.setTimeout(look, Math.min(longestWait, Math.max(1, verdict.until - now)));
          return;
        case 'now':
          release = turns.askToRestart(
            entry.id,
            { namespace: entry.facts.ref.namespace, since: input.changedSince ?? entry.changedAt },
            {
              onGranted: () => sendBack({ type: 'turn.granted' }),
              onWaits: (reason) => sendBack({ type: 'turn.waits', reason }),
            },
          );
      }
    }

    look();
    return () => {
      clock.clearTimeout(timer);
      release?.({ wasUsed: entry.hasRestarted });
    };
  });
}
