import { scaledClock } from '@weeder/embedded-cluster';
import { createLogger } from '../../base/log.ts';
import type { StoryCourse, StoryOptions } from '../../demo/storyOptions.ts';
import { offerPage, uiAddressOf } from '../offerPage.ts';
import { exitCodes, fail } from '../output.ts';
import type { DemoFlags } from './demoFlags.ts';
import { type Course, progressLine, say } from './demoOutput.ts';
import { keepPage, viewerOf } from './demoPage.ts';

/** A story in chapters, and what is its own of how it is told. */
interface DemoStory<Fact, Outcome> {
  readonly play: (options: StoryOptions<Fact, Outcome>) => Promise<void>;
  /** How many times as fast it is told, unless it is said. */
  readonly usualSpeed: number;
  /** How long it is, roughly, in milliseconds. */
  readonly length: number;
  /** What is said of the speed: how long it takes comes after that. */
  readonly pace: (speed: number) => string;
  /** What one has to know of the objects in it. */
  readonly setting: string;
  /** The lines that tell of a fact. */
  readonly linesOf: (time: number, fact: Fact) => readonly string[];
  /** What the last line says while nothing is managed. */
  readonly idle: string;
  /** Says what came of it; whether that is as it should be. */
  readonly sayOutcome: (outcome: Outcome, seed: number) => Promise<boolean> | boolean;
}

/** Tells a story on an API server of its own. Resolves with the exit code. */
export async function tellDemo<Fact, Outcome>(flags: DemoFlags, story: DemoStory<Fact, Outcome>): Promise<number> {
  const { seed, speed = story.usualSpeed } = flags;
  const progress = progressLine();
  const clock = scaledClock(speed);
  const logger = await createLogger('error', process.stderr);
  const page = await offerPage(uiAddressOf(flags), logger, { clock, speed });
  if (!page.ok) return fail(page.error);
  say(
    'The real weeder, on an API server of its own: no cluster is needed.',
    `${story.pace(speed)}: this takes about ${Math.ceil(story.length / speed / 1_000)} s.`,
    story.setting,
  );
  if (page.value !== undefined) say('', `The live page: ${page.value.url} (the story waits 30 s for it)`);
  let exitCode: number = exitCodes.ok;
  await story.play({
    clock,
    logger,
    seed,
    ...(page.value === undefined ? {} : { viewer: viewerOf(page.value) }),
    onBegin: (course) => progress.start(courseOf(course, story.idle)),
    onFact: (time, fact) => progress.above(...story.linesOf(time, fact)),
    async onEnd(outcome) {
      progress.stop();
      if (!(await story.sayOutcome(outcome, seed))) exitCode = exitCodes.failed;
      if (page.value !== undefined) await keepPage(page.value, logger);
    },
  });
  await page.value?.close();
  return exitCode;
}

function courseOf({ time, done, states }: StoryCourse, idle: string): Course {
  return {
    time,
    done,
    said() {
      const all = Object.entries(states()).map(([state, count]) => `${count} ${state}`);
      return all.length === 0 ? idle : all.join(', ');
    },
  };
}
