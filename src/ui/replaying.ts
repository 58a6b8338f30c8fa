import type { Clock } from '@weeder/kube-runtime/base';
import { kindOf, type MomentKind, type ReplayClock, type ReplayCommand } from '@weeder/live-page';
import { createActorTimes } from '../actors/actorTimes.ts';
import { controllerNames } from '../controllers/controllers.ts';
import type { Playable } from '../replay/playable.ts';
import type { Player } from '../replay/player.ts';
import { createLivePage, type LivePage } from './livePage.ts';
import { momentsOf } from './wholeReplay.ts';

/** Plays a recording or watch events for a page, controlled by commands. Begins paused at the first incident. */
interface Replaying {
  readonly live: LivePage;
  clock(): ReplayClock;
  /** Resolves when the command is done; commands run one after the other. */
  command(command: ReplayCommand): Promise<void>;
  stop(): void;
}

/** The time between two updates while it plays; real milliseconds. */
const frame = 50;
/** What an incident begins with. */
const incidents: ReadonlySet<MomentKind> = new Set(['outage', 'drift', 'problem']);

export async function createReplaying(
  playable: Playable,
  pace: Clock,
  onBroken: (error: unknown) => void,
): Promise<Replaying> {
  const { startedAt: startsAt, isDryRun } = playable;
  const moments = await momentsOf(playable);
  // What happens after the last input belongs to it, such as the end of a window.
  const end = Math.max(playable.endedAt, (moments.at(-1)?.t ?? 0) - startsAt);
  let isPlaying = false;
  let speed = 1;
  let count = 0;
  let timer: ReturnType<Clock['setTimeout']> | undefined;
  let work = Promise.resolve();

  const position = () => player.clock.monotonic();
  const now = () => startsAt + position();
  const clock = (): ReplayClock => ({ now: now(), startsAt, endsAt: startsAt + end, isPlaying, speed });
  const live = createLivePage({ clock: { now }, pace, isDryRun, replay: { clock, moments }, onBroken });
  let player = begin();
  const incident = moments.find(({ what }) => incidents.has(kindOf(what)));
  // A page plays whole milliseconds: rounded up, so that the incident has happened.
  if (incident !== undefined) await seek(Math.ceil(incident.t));

  function begin(): Player {
    const times = createActorTimes({ now });
    const player = playable.createPlayer({
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
