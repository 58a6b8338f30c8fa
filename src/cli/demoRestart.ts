import { rolloutTable } from '../demo/restart/comparison.ts';
import type { ShopFact } from '../demo/restart/facts.ts';
import { playRestarts, playWithPlainWatcher, type RestartOutcome, type RestartStory } from '../demo/restart/run.ts';
import { restartEntry } from '../demo/restart/timeline.ts';
import { scaledClock } from '../demo/scaledClock.ts';
import { createLogger } from '../log.ts';
import type { RestartFact } from '../restart/facts.ts';
import type { DemoFlags } from './demoFlags.ts';
import { type Course, heading, line, progressLine, say, sayTable } from './demoOutput.ts';
import { keepPage, viewerOf } from './demoPage.ts';
import { offerPage, uiAddressOf } from './offerPage.ts';
import { exitCodes, fail } from './output.ts';

/** How long the story is, roughly, in milliseconds, and how many times as fast it is told. */
const length = 96_000;
const usualSpeed = 4;

/** `weeder demo restart`: the story of a shop whose ConfigMaps and Secrets change. Resolves with the exit code. */
export async function demoRestart(flags: DemoFlags): Promise<number> {
  const { seed, speed = usualSpeed } = flags;
  const progress = progressLine();
  const clock = scaledClock(speed);
  const logger = await createLogger('error', process.stderr);
  const page = await offerPage(uiAddressOf(flags), logger, clock, speed);
  if (!page.ok) return fail(page.problem);
  say(
    'The real weeder, on an API server of its own: no cluster is needed.',
    `Time runs ${speed} times as fast: this takes about ${Math.ceil(length / speed / 1_000)} s.`,
    'web and payments use one ConfigMap, cart another one; db and report a Secret.',
  );
  if (page.value !== undefined) say('', `The live page: ${page.value.url} (the story waits 30 s for it)`);
  let exitCode: number = exitCodes.ok;
  await playRestarts({
    clock,
    logger,
    seed,
    ...(page.value === undefined ? {} : { viewer: viewerOf(page.value) }),
    onBegin: (story) => progress.start(courseOf(story)),
    onFact: (time, fact) => progress.above(...linesOf(time, fact)),
    async onEnd(outcome) {
      progress.stop();
      await sayOutcome(outcome, seed);
      if (outcome.faults.length > 0) exitCode = exitCodes.failed;
      if (page.value !== undefined) await keepPage(page.value, logger);
    },
  });
  await page.value?.close();
  return exitCode;
}

function linesOf(time: number, fact: ShopFact | RestartFact): readonly string[] {
  if (fact.type === 'chapter.began') return ['', heading(`${fact.number}. ${fact.chapter.title}`)];
  const entry = restartEntry(fact);
  return entry === undefined ? [] : [line(time, entry)];
}

async function sayOutcome({ told, faults }: RestartOutcome, seed: number): Promise<void> {
  const plain = await playWithPlainWatcher(seed);
  say('', 'The same story with one that restarts whatever names a source that changes:', '');
  sayTable(rolloutTable(told, plain));
  if (faults.length > 0) say('', 'This did not go as it should:', ...faults);
}

function courseOf({ time, done, states }: RestartStory): Course {
  return {
    time,
    done,
    said() {
      const all = Object.entries(states()).map(([state, count]) => `${count} ${state}`);
      return all.length === 0 ? 'weeder is away' : all.join(', ');
    },
  };
}
