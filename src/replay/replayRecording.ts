/**
 * Runs the real controllers in simulated time with the recorded inputs: they reach no cluster and use no real clock.
 * Does not guarantee that the replayed decisions equal the recorded ones, which callers compare: another version of
 * weeder may decide differently, and then the inputs after that are those of the recorded decisions. Equal decisions
 * are unchanged, which does not show that they are right.
 */

import { type Playable, playAll } from './playable.ts';
import { loadPlayer } from './player.ts';
import { comparableEvents } from './recorded/excluded.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import type { Replay } from './recorded/timelineEvent.ts';

/** Loads the code of all controllers. */
export async function playableRecording(file: RecordingFile): Promise<Playable & Pick<Replay, 'recorded'>> {
  const { header, lines } = file;
  const createPlayer = await loadPlayer();
  return {
    startedAt: Date.parse(header.startedAt),
    endedAt: lines.at(-1)?.t ?? 0,
    rest: 0,
    isDryRun: header.isDryRun,
    recorded: comparableEvents(lines),
    createPlayer: (options) => createPlayer(file, options),
  };
}

/** Plays all lines. */
export async function replayRecording(file: RecordingFile): Promise<Replay> {
  const playable = await playableRecording(file);
  return { ...playable, replayed: await playAll(playable) };
}
