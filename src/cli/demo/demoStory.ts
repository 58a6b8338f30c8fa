import { scaledClock } from '@weeder/embedded-cluster';
import { createLogger } from '../../base/log.ts';
import type { StoryOptions, StoryProgress } from '../../demo/storyOptions.ts';
import { exitCodes, fail } from '../output.ts';
import type { DemoFlags } from './demoFlags.ts';
import { heading, type Progress, print, progressLine } from './demoOutput.ts';
import { keepPage, serveDemo, viewerOf } from './demoPage.ts';

/** A story in chapters, with its own texts. */
interface DemoStory<StoryEvent, Outcome> {
  readonly play: (options: StoryOptions<StoryEvent, Outcome>) => Promise<void>;
  /** The config file of its weeder. */
  readonly configText: string;
  /** The default speed as a multiple of real time. */
  readonly usualSpeed: number;
  /** The approximate length in milliseconds. */
  readonly length: number;
  /** Describes the speed; the duration is appended. */
  readonly pace: (speed: number) => string;
  /** Introduces the objects of the story. */
  readonly setting: string;
  /** The lines for an event. */
  readonly linesOf: (time: number, event: StoryEvent) => readonly string[];
  /** The last line while nothing is managed. */
  readonly idle: string;
  /** Prints the outcome, and returns whether it is as expected. */
  readonly printOutcome: (outcome: Outcome, seed: number) => Promise<boolean> | boolean;
}

/** Plays a story on an embedded cluster. Resolves with the exit code. */
export async function showStory<StoryEvent, Outcome>(
  flags: DemoFlags,
  story: DemoStory<StoryEvent, Outcome>,
): Promise<number> {
  const { seed, speed = story.usualSpeed } = flags;
  const progress = progressLine();
  const clock = scaledClock(speed);
  const logger = await createLogger('error', process.stderr);
  const page = await serveDemo(flags, logger, { clock, speed, configText: story.configText });
  if (!page.ok) return fail(page.error);
  print(
    'This demo runs the real weeder on an embedded API server: no cluster is needed.',
    `${story.pace(speed)}: this takes about ${Math.ceil(story.length / speed / 1_000)} s.`,
    story.setting,
  );
  if (page.value !== undefined) print('', `The live page: ${page.value.url} (the story waits 30 s for it)`);
  let exitCode: number = exitCodes.ok;
  await story.play({
    clock,
    logger,
    seed,
    ...(page.value === undefined ? {} : { viewer: viewerOf(page.value) }),
    onBegin: (course) => progress.start(progressOf(course, story.idle)),
    onEvent: (time, event) => progress.above(...story.linesOf(time, event)),
    onChapter: (number, title) => progress.above('', heading(`${number}. ${title}`)),
    async onEnd(outcome) {
      progress.stop();
      if (!(await story.printOutcome(outcome, seed))) exitCode = exitCodes.failed;
      if (page.value !== undefined) await keepPage(page.value, logger);
    },
  });
  await page.value?.close();
  return exitCode;
}

function progressOf({ time, done, states }: StoryProgress, idle: string): Progress {
  return {
    time,
    done,
    status() {
      const counts = Object.entries(states()).map(([state, count]) => `${count} ${state}`);
      return counts.length === 0 ? idle : counts.join(', ');
    },
  };
}
