import type { Clock } from '@weeder/kube-runtime/base';
import type { Moment, ReplayClock, ReplayCommand } from '@weeder/live-page';
import { createActorTimes } from '../actors/actorTimes.ts';
import { contributions, controllerNames } from '../controllers/controllers.ts';
import { type CreatePlayer, loadPlayer, type Player } from '../replay/player.ts';
import type { RecordingFile } from '../replay/recorded/recordingFile.ts';
import { createLivePage, type LivePage } from './livePage.ts';

/** Plays a recording for a page, controlled by commands. */
interface Replaying {
  readonly live: LivePage;
  clock(): ReplayClock;
  /** Resolves when the command is done; commands run one after the other. */
  command(command: ReplayCommand): Promise<void>;
  stop(): void;
}

/** The time between two updates while it plays; real milliseconds. */
const frame = 50;

export async function createReplaying(
  file: RecordingFile,
  pace: Clock,
  onBroken: (error: unknown) => void,
): Promise<Replaying> {
  const createPlayer = await loadPlayer();
  const startsAt = Date.parse(file.header.startedAt);
  const end = file.lines.at(-1)?.t ?? 0;
  let isPlaying = false;
  let speed = 1;
  let count = 0;
  let timer: ReturnType<Clock['setTimeout']> | undefined;
  let work = Promise.resolve();

  const position = () => player.clock.monotonic();
  const now = () => startsAt + position();
  const clock = (): ReplayClock => ({ now: now(), startsAt, endsAt: startsAt + end, isPlaying, speed });
  const moments = await momentsOf(file, createPlayer);
  const live = createLivePage({ clock: { now }, pace, replay: { clock, moments }, onBroken });
  let player = begin();

  function begin(): Player {
    const times = createActorTimes({ now });
    const player = createPlayer(file, {
      report(of, event) {
        count += 1;
        live.report(of, event);
      },
      inspect(event) {
        times.inspect(event);
        live.inspect(event);
      },
    });
    live.watch({
      actors: () => controllerNames.flatMap((of) => [...(player.shown(of)?.actors() ?? [])]),
      since: times.since,
      shown: player.shown,
    });
    return player;
  }

  /** Advances to the next event. */
  async function step(): Promise<void> {
    const before = count;
    while (count === before && position() < end) {
      const next = Math.min(player.nextAt() ?? end, player.clock.nextDue ?? end, end);
      await player.playTo(Math.max(next, position()));
      if (next >= end) return;
    }
  }

  async function seek(to: number): Promise<void> {
    const target = Math.min(end, Math.max(0, to - startsAt));
    if (target < position()) {
      player = begin();
      live.forget();
    }
    await player.playTo(Math.max(target, position()));
  }

  async function execute(command: ReplayCommand): Promise<void> {
    const wasPlaying = isPlaying;
    if (command.do === 'speed') speed = command.speed;
    else pause();
    if (command.do === 'step') await step();
    else if (command.do === 'seek') await seek(command.to);
    if (command.do === 'play' || (command.do === 'seek' && wasPlaying)) play();
    live.sendClock();
  }

  function pause(): void {
    isPlaying = false;
    pace.clearTimeout(timer);
  }

  function play(): void {
    isPlaying = position() < end;
    if (isPlaying) advanceIn(frame, pace.monotonic());
  }

  function advanceIn(delay: number, since: number): void {
    timer = pace.setTimeout(() => void enqueue(() => advance(since)), delay);
  }

  async function advance(since: number): Promise<void> {
    if (!isPlaying) return;
    const at = pace.monotonic();
    await player.playTo(Math.min(end, position() + (at - since) * speed));
    isPlaying = position() < end;
    live.sendClock();
    if (isPlaying) advanceIn(frame, at);
  }

  function enqueue(job: () => Promise<void>): Promise<void> {
    work = work.then(job).catch(onBroken);
    return work;
  }

  return {
    live,
    clock,
    command: (command) => enqueue(() => execute(command)),
    stop: pause,
  };
}

/** Plays the whole recording once. */
async function momentsOf(file: RecordingFile, createPlayer: CreatePlayer): Promise<Moment[]> {
  const moments: Moment[] = [];
  const startsAt = Date.parse(file.header.startedAt);
  const player = createPlayer(file, {
    report(of, event) {
      const moment = contributions[of].momentOf(event, startsAt + player.clock.monotonic());
      if (moment !== undefined) moments.push(moment);
    },
  });
  await player.playTo(file.lines.at(-1)?.t ?? 0);
  return moments;
}
