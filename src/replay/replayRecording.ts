import { type Told, toldOf } from '../recording/told.ts';
import { comparable, inputsBefore, quietOf } from './comparable.ts';
import { observedIn } from './observerInputs.ts';
import { restartsIn } from './passedOver.ts';
import { createPlayer } from './player.ts';
import type { RecordingFile } from './recordingFile.ts';

/** A fact with its time in milliseconds since the start of the recording. */
export type Timed = Told & { readonly t: number };

/** A fact, and how many inputs came before it: what follows from the same input has the same number on both sides. */
export interface Placed {
  readonly fact: Timed;
  readonly after: number;
}

/** What the weeder says now to the recorded inputs, and what it said then. */
export interface Replay {
  readonly startedAt: number;
  /** Milliseconds since the start. */
  readonly endedAt: number;
  readonly recorded: readonly Timed[];
  readonly replayed: readonly Timed[];
}

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
