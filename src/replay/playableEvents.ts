import type { ControllerName, Shown } from '../controllers/controllers.ts';
import type { Playable } from './playable.ts';
import { playsTo } from './player.ts';
import { createEventsPlayer, type PlayableEvents } from './weeder/replayEvents.ts';

/** Watch events as a dry run of the weeder. They contain nothing of the other controllers. */
export function dryRunOf(events: PlayableEvents): Playable {
  return {
    ...events,
    isDryRun: true,
    recorded: undefined,
    createPlayer({ report = () => {}, inspect }) {
      const inspected = inspect === undefined ? {} : { inspect };
      const player = createEventsPlayer(events, { ...inspected, report: (event) => report('weeder', event) });
      const shown: { readonly [K in ControllerName]?: Shown[K] } = { weeder: player.weeder };
      return { ...player, shown: (of) => shown[of], playTo: playsTo(player) };
    },
  };
}
