import { styleText } from 'node:util';
import type { StoryFact } from '../demo/observer/facts.ts';
import { faultsOf, outcomeTable } from '../demo/observer/outcome.ts';
import { type ObserverStory, playObserver } from '../demo/observer/run.ts';
import type { Told } from '../demo/observer/tell.ts';
import { type DiffLine, observerEntry } from '../demo/observer/timeline.ts';
import { scaledClock } from '../demo/scaledClock.ts';
import { createLogger } from '../log.ts';
import type { DemoFlags } from './demoFlags.ts';
import { type Course, heading, line, progressLine, say, sayTable } from './demoOutput.ts';
import { keepPage, viewerOf } from './demoPage.ts';
import { offerPage, uiAddressOf } from './offerPage.ts';
import { exitCodes, fail } from './output.ts';

/** How long the story is, roughly, in milliseconds. */
const length = 22_000;
/** As it is: a correction takes milliseconds, and that is to be seen. */
const usualSpeed = 1;
/** A diff stands below what is said, which begins here. */
const margin = 20;

/** `weeder demo observer`: the story of an application that people and programs change. Resolves with the exit code. */
export async function demoObserver(flags: DemoFlags): Promise<number> {
  const { seed, speed = usualSpeed } = flags;
  const progress = progressLine();
  const clock = scaledClock(speed);
  const logger = await createLogger('error', process.stderr);
  const page = await offerPage(uiAddressOf(flags), logger, clock, speed);
  if (!page.ok) return fail(page.problem);
  const pace = speed === 1 ? 'Time runs as it does' : `Time runs ${speed} times as fast, milliseconds too`;
  say(
    'The real weeder, on an API server of its own: no cluster is needed.',
    `${pace}: this takes about ${Math.ceil(length / speed / 1_000)} s.`,
    'The schema observes images, ports and the label app, but not the replicas.',
  );
  if (page.value !== undefined) say('', `The live page: ${page.value.url} (the story waits 30 s for it)`);
  let exitCode: number = exitCodes.ok;
  await playObserver({
    clock,
    logger,
    seed,
    ...(page.value === undefined ? {} : { viewer: viewerOf(page.value) }),
    onBegin: (story) => progress.start(courseOf(story)),
    onFact: (time, fact) => progress.above(...linesOf(time, fact)),
    async onEnd(told) {
      progress.stop();
      if (!sayOutcome(told)) exitCode = exitCodes.failed;
      if (page.value !== undefined) await keepPage(page.value, logger);
    },
  });
  await page.value?.close();
  return exitCode;
}

function linesOf(time: number, fact: StoryFact): readonly string[] {
  if (fact.type === 'chapter.began') return ['', heading(`${fact.number}. ${fact.chapter.title}`)];
  const entry = observerEntry(fact, Math.min(process.stdout.columns || 80, 120) - margin);
  return entry === undefined ? [] : [line(time, entry), ...entry.diff.map(diffLine)];
}

const colours = { path: 'dim', wanted: 'green', found: 'red' } as const;

function diffLine({ is, text }: DiffLine): string {
  return `${' '.repeat(margin)}${styleText(colours[is], text, { stream: process.stdout })}`;
}

/** Whether it went as it should. */
function sayOutcome(told: readonly Told[]): boolean {
  say('', 'What was done to the application, and what became of it:', '');
  sayTable(outcomeTable(told));
  const faults = faultsOf(told);
  if (faults.length > 0) say('', ...faults);
  return faults.length === 0;
}

function courseOf({ time, done, states }: ObserverStory): Course {
  return {
    time,
    done,
    said() {
      const all = Object.entries(states()).map(([state, count]) => `${count} ${state}`);
      return all.length === 0 ? 'nothing is observed' : all.join(', ');
    },
  };
}
