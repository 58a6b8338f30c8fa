import type { ControllerName, Events } from '../controllers/controllers.ts';
import type { Player, PlayerOptions } from './player.ts';
import type { TimelineEvent } from './recorded/timelineEvent.ts';

/** What can be played: a recording, or watch events. */
export interface Playable {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The time of the last input; milliseconds since the start. */
  readonly endedAt: number;
  /** For how long decisions are played after that; milliseconds. */
  readonly rest: number;
  /** Nothing is deleted: weeder only says what it would delete. */
  readonly isDryRun: boolean;
  /** The events and requests that a replay has to reproduce; undefined: what weeder did is not known. */
  readonly recorded: readonly TimelineEvent[] | undefined;
  createPlayer(options: PlayerOptions): Player;
}

/** Plays everything. Returns its events. `report`: is called with each event and its time since the start. */
export async function playAll(
  { endedAt, rest, createPlayer }: Playable,
  report: <K extends ControllerName>(of: K, event: Events[K], t: number) => void = () => {},
): Promise<readonly TimelineEvent[]> {
  const replayed: TimelineEvent[] = [];
  const player = createPlayer({
    record: (event) => void replayed.push({ t: player.clock.monotonic(), ...event }),
    report: (of, event) => report(of, event, player.clock.monotonic()),
  });
  await player.playTo(endedAt + rest);
  await player.clock.pass(0);
  return replayed;
}
