/**
 * Runs the real controllers in simulated time with the recorded inputs: they reach no cluster and use no real clock.
 * Does not guarantee that the replayed decisions equal the recorded ones, which callers compare: another version of
 * weeder may decide differently, and then the inputs after that are those of the recorded decisions. Equal decisions
 * are unchanged, which does not show that they are right.
 */

import { loadPlayer } from './player.ts';
import { comparableEvents } from './recorded/excluded.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import type { Replay, TimelineEvent } from './recorded/timelineEvent.ts';

/** Plays all lines. */
export async function replayRecording(file: RecordingFile): Promise<Replay> {
  const { header, lines } = file;
  const replayed: TimelineEvent[] = [];
  const record = (event: Omit<TimelineEvent, 't'>) => void replayed.push({ t: player.clock.monotonic(), ...event });
  const createPlayer = await loadPlayer();
  const player = createPlayer(file, { record });
  while (await player.next());
  await player.clock.pass(0);
  return {
    startedAt: Date.parse(header.startedAt),
    recorded: comparableEvents(lines),
    replayed,
    endedAt: lines.at(-1)?.t ?? 0,
  };
}
