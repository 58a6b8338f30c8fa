import { settled, type VirtualClock, virtualClock } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import { contributions, loadEach, makeEach, type Report, type ShownOf } from '../controllers/controllers.ts';
import type { Input } from '../recording/file/entry.ts';
import type { RecordedEvent } from '../recording/file/lines.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';

/** Runs the real controllers in simulated time with the recorded inputs, line by line. */
export interface Player {
  /** Its `monotonic()` is the time since the start of the recording. */
  readonly clock: VirtualClock;
  readonly shown: ShownOf;
  /** The time of the next line in milliseconds since the start; undefined after the last. */
  nextAt(): number | undefined;
  /** Plays the next line, with all others of its time. After the last, there is nothing to play. */
  next(): Promise<void>;
  /** Plays all lines up to `t`, and advances the clock to it. Milliseconds since the start. */
  playTo(t: number): Promise<void>;
}

export interface PlayerOptions {
  /** Called with each event and each request, except those that are excluded in a file that begins in the middle. */
  readonly record?: (event: RecordedEvent) => void;
  readonly report?: Report;
  readonly inspect?: (event: InspectionEvent) => void;
}

type CreatePlayer = (file: RecordingFile, options: PlayerOptions) => Player;

/** Loads the code of all controllers. */
export async function loadPlayer(): Promise<CreatePlayer> {
  const create = await loadEach<'createPlayer'>((of) => contributions[of].loadPlayer());
  return (file, options) => createPlayer(create, file, options);
}

function createPlayer(
  create: Awaited<ReturnType<typeof loadEach<'createPlayer'>>>,
  { header, config, lines }: RecordingFile,
  { record = () => {}, report = () => {}, inspect }: PlayerOptions,
): Player {
  const startedAt = Date.parse(header.startedAt);
  const clock = virtualClock(startedAt);
  clock.suspend(lines[0]?.t ?? 0);
  let played = 0;
  const stage = { header, config, lines, clock, record, ...(inspect === undefined ? {} : { inspect }) };
  const players = makeEach<'player'>((of) => create[of](stage, (event) => report(of, event)));

  async function next(): Promise<void> {
    const t = nextAt();
    if (t === undefined) return;
    await moveTo(clock, t);
    const taken: Promise<void>[] = [];
    for (let line = lines[played]; line?.t === t; line = lines[played]) {
      played += 1;
      if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
      if (!('in' in line)) continue;
      taken.push(players[line.of].take(line));
      // What streams deliver at the same time is taken before anything else runs.
      if (!('stream' in line)) await pauseAfter(line, taken);
    }
    await Promise.all(taken);
  }

  const nextAt = () => lines[played]?.t;
  return {
    clock,
    shown: (of) => players[of].shown(),
    nextAt,
    next,
    playTo: playsTo({ clock, nextAt, next }),
  };
}

/** A value is needed only once an effect has ended, even if no time has passed since the input. */
async function pauseAfter(input: Input, taken: readonly Promise<void>[]): Promise<void> {
  await Promise.all(taken);
  if (input.in === 'random') await settled();
}

export function playsTo({ clock, nextAt, next }: Pick<Player, 'clock' | 'nextAt' | 'next'>): Player['playTo'] {
  return async (t) => {
    while ((nextAt() ?? Number.POSITIVE_INFINITY) <= t) await next();
    await moveTo(clock, t);
  };
}

/** A recording has its times to the microsecond, so a timer that was first may be due that much later. Milliseconds. */
const rounding = 0.001;

async function moveTo(clock: VirtualClock, t: number): Promise<void> {
  const ms = t - clock.monotonic();
  if (ms > 0) await clock.pass(ms);
  for (let due = clock.nextDue; due !== undefined && due <= t + rounding; due = clock.nextDue)
    await clock.pass(Math.max(0, due - clock.monotonic()));
}
