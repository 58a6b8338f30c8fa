import { loadPlayer } from './player.ts';
import { comparableEvents } from './recorded/excluded.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import type { Replay, TimelineEvent } from './recorded/timelineEvent.ts';

/** Runs the real controllers in simulated time with the recorded inputs. */
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
