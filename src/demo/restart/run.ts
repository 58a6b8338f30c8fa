import { simulatedClock } from '@weeder/embedded-cluster';
import { createKubeClient } from '../../kube/client/client.ts';
import type { RestartEvent } from '../../restart/model/events.ts';
import { accessTo } from '../run.ts';
import type { StoryOptions } from '../storyOptions.ts';
import type { ShopEvent } from './events.ts';
import { plainWatcher } from './plainWatcher.ts';
import { type ChapterResult, deviationsOf, playChapters } from './playChapters.ts';
import { openShop } from './shop.ts';
import { chapters } from './story.ts';
import { createWeederRestarter } from './weederRestarter.ts';

export interface RestartOutcome {
  readonly results: readonly ChapterResult[];
  /** One sentence for each unexpected outcome. */
  readonly deviations: readonly string[];
}

/** Plays the story with the real weeder and the embedded API server, over HTTP and in accelerated time. */
export async function playRestarts(options: StoryOptions<ShopEvent | RestartEvent, RestartOutcome>): Promise<void> {
  const { clock, logger, viewer, seed } = options;
  let startedAt: number | undefined;
  const time = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt);
  /** The events of weeder, by chapter. */
  const events: RestartEvent[][] = [];
  const onEvent = (event: ShopEvent | RestartEvent) => options.onEvent(time(), event);
  const shop = openShop(clock, seed, onEvent);
  const listening = await shop.server.listen();
  const client = createKubeClient({ access: accessTo(listening.url), clock });
  const restarter = createWeederRestarter({
    ...viewer,
    client,
    clock,
    logger,
    report(event) {
      events.at(-1)?.push(event);
      viewer?.report('restart', event);
      onEvent(event);
    },
    onStarted: (started) => viewer?.watch(started),
  });
  await viewer?.isReady();
  options.onBegin({ time, states: restarter.states, done: () => events.length / chapters.length });
  const results = await playChapters({
    clock,
    shop,
    restarter: {
      ...restarter,
      async start() {
        onEvent({ type: 'restarter.started' });
        await restarter.start();
      },
      async stop() {
        onEvent({ type: 'restarter.stopped' });
        await restarter.stop();
      },
    },
    report: (event) => {
      startedAt ??= clock.monotonic();
      if (event.type === 'chapter.began') events.push([]);
      onEvent(event);
    },
  });
  const deviations = results.flatMap((each, index) => deviationsOf(each, events[index] ?? []));
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
  let results: readonly ChapterResult[] | undefined;
  const playing = playChapters({ clock, shop, restarter: plainWatcher(shop.server.store) }).then((all) => {
    results = all;
  });
  await clock.run(() => results !== undefined);
  await playing;
  shop.stop();
  return results ?? [];
}
