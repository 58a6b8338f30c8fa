import { simulatedClock } from '@weeder/embedded-cluster';
import type { RestartEvent } from '../../restart/references/events.ts';
import { createStory } from '../createStory.ts';
import { clientTo } from '../run.ts';
import type { StoryOptions } from '../storyOptions.ts';
import type { ShopEvent } from './events.ts';
import { plainWatcher } from './plainWatcher.ts';
import { type ChapterResult, chapterPlayer, deviationsOf } from './playChapter.ts';
import { openShop } from './shop.ts';
import { type Chapter, chapters } from './story.ts';
import { createWeederRestarter } from './weederRestarter.ts';

export interface RestartOutcome {
  readonly results: readonly ChapterResult[];
  /** One sentence for each unexpected outcome. */
  readonly deviations: readonly string[];
}

/** Plays the story with the real weeder and the embedded API server, over HTTP and in accelerated time. */
export async function playRestarts(options: StoryOptions<ShopEvent | RestartEvent, RestartOutcome>): Promise<void> {
  const { clock, logger, viewer, seed } = options;
  const story = createStory<'restart', Chapter, ShopEvent>({ controller: 'restart', chapters, options });
  const shop = openShop(clock, seed, story.onAction);
  const listening = await shop.server.listen();
  const client = clientTo(listening.url, clock);
  const { report, onStarted } = story;
  const restarter = createWeederRestarter({ ...viewer, client, clock, logger, report, onStarted });
  const playChapter = await chapterPlayer({
    clock,
    shop,
    restarter: {
      ...restarter,
      async start() {
        story.onAction({ type: 'restarter.started' });
        await restarter.start();
      },
      async stop() {
        story.onAction({ type: 'restarter.stopped' });
        await restarter.stop();
      },
    },
  });
  const deviations: string[] = [];
  const results = await story.play(restarter.states, async (chapter) => {
    const result = await playChapter(chapter);
    deviations.push(...deviationsOf(result, story.events()));
    return result;
  });
  await options.onEnd({ results, deviations });
  await restarter.stop();
  await client.close();
  shop.stop();
  await listening.close();
}

/** Plays the same story with a plain watcher, in simulated time. */
export async function playWithPlainWatcher(seed: number): Promise<readonly ChapterResult[]> {
  const clock = simulatedClock(Date.now());
  const shop = openShop(clock, seed);
  const results: ChapterResult[] = [];
  async function play(): Promise<void> {
    const playChapter = await chapterPlayer({ clock, shop, restarter: plainWatcher(shop.server.store) });
    for (const chapter of chapters) results.push(await playChapter(chapter));
  }
  const playing = play();
  await clock.run(() => results.length === chapters.length);
  await playing;
  shop.stop();
  return results;
}
