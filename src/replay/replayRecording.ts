import { toldOf } from '../recording/told.ts';
import { observedIn } from './observer/observerInputs.ts';
import { createPlayer } from './player.ts';
import { comparable, inputsBefore, quietOf } from './recorded/comparable.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import type { Placed, Replay, Timed } from './recorded/timed.ts';
import { restartsIn } from './weeder/passedOver.ts';

/** Runs the real wiring in simulated time against what was recorded. */
export async function replayRecording(file: RecordingFile): Promise<Replay> {
  const { header, lines } = file;
  const replayed: Placed[] = [];
  const others: Timed[] = [];
  const player = createPlayer(file, {
    report: (fact) => {
      const [t, after] = [player.clock.monotonic(), player.inputs()];
      replayed.push(...toldOf(fact).map((told) => ({ fact: { t, ...told }, after })));
    },
    reportRestart: (told) => void others.push({ t: player.clock.monotonic(), ...told }),
    reportObserver: (told) => void others.push({ t: player.clock.monotonic(), ...told }),
  });
  while (await player.next());
  await player.clock.pass(0);
  const before = inputsBefore(lines);
  const recorded = lines.flatMap((line, index) => ('about' in line ? { fact: line, after: before[index] ?? 0 } : []));
  const quiet = quietOf(lines);
  return {
    startedAt: Date.parse(header.startedAt),
    recorded: inOrder(comparable(recorded, quiet), [...restartsIn(lines), ...observedIn(lines)]),
    replayed: inOrder(comparable(replayed, quiet), others),
    endedAt: lines.at(-1)?.t ?? 0,
  };
}

function inOrder(facts: readonly Timed[], others: readonly Timed[]): Timed[] {
  return [...facts, ...others].toSorted((a, b) => a.t - b.t);
}
