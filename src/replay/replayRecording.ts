import { recordedEventsOf } from '../recording/weeder/recordedWeederEvent.ts';
import { createPlayer } from './player.ts';
import { comparableEvents, exclusionsOf, inputsBefore } from './recorded/comparable.ts';
import { comparableEventsOf } from './recorded/excluded.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import type { PlacedEvent, Replay, TimelineEvent } from './recorded/timelineEvent.ts';

/** Runs the real controllers in simulated time with the recorded inputs. */
export async function replayRecording(file: RecordingFile): Promise<Replay> {
  const { header, lines } = file;
  const replayed: PlacedEvent[] = [];
  const others: TimelineEvent[] = [];
  const player = createPlayer(file, {
    report: (event) => {
      const [t, after] = [player.clock.monotonic(), player.inputs()];
      replayed.push(...recordedEventsOf(event).map((recorded) => ({ event: { t, ...recorded }, after })));
    },
    record: (recorded) => void others.push({ t: player.clock.monotonic(), ...recorded }),
  });
  while (await player.next());
  await player.clock.pass(0);
  const before = inputsBefore(lines);
  const recorded = lines.flatMap((line, index) =>
    line.of === 'weeder' && 'about' in line ? { event: line, after: before[index] ?? 0 } : [],
  );
  const exclusions = exclusionsOf(lines);
  return {
    startedAt: Date.parse(header.startedAt),
    recorded: inOrder(comparableEvents(recorded, exclusions), [
      ...comparableEventsOf('restart', lines),
      ...comparableEventsOf('observer', lines),
    ]),
    replayed: inOrder(comparableEvents(replayed, exclusions), others),
    endedAt: lines.at(-1)?.t ?? 0,
  };
}

function inOrder(events: readonly TimelineEvent[], others: readonly TimelineEvent[]): TimelineEvent[] {
  return [...events, ...others].toSorted((a, b) => a.t - b.t);
}
