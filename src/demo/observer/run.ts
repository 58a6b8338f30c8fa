import { createKubeClient } from '../../kube/client/client.ts';
import type { ObserverEvent } from '../../observer/model/events.ts';
import { createObserverController } from '../../observer/observerController.ts';
import { accessTo } from '../run.ts';
import type { StoryOptions } from '../storyOptions.ts';
import { createWeederProcess } from '../weederProcess.ts';
import type { StoryEvent } from './events.ts';
import { configText } from './objects.ts';
import { type ChapterResult, playChapters } from './playChapters.ts';
import { openSite, peopleOf } from './site.ts';
import { chapters } from './story.ts';

/** Plays the story with the real weeder and the embedded API server, over HTTP. */
export async function playObserver(options: StoryOptions<StoryEvent, readonly ChapterResult[]>): Promise<void> {
  const { clock, logger, viewer, seed } = options;
  let startedAt: number | undefined;
  const time = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt);
  /** The events of weeder, by chapter. */
  const events: ObserverEvent[][] = [];
  const onEvent = (event: StoryEvent) => options.onEvent(time(), event);
  const site = openSite(clock, seed);
  const listening = await site.server.listen();
  const [client, kubectl] = [0, 1].map(() => createKubeClient({ access: accessTo(listening.url), clock }));
  if (client === undefined || kubectl === undefined) throw new Error('there is no client');
  const report = (event: ObserverEvent) => {
    events.at(-1)?.push(event);
    viewer?.report('observer', event);
    onEvent(event);
  };
  const weeder = createWeederProcess({
    ...viewer,
    client,
    clock,
    logger,
    config: configText,
    create: (context) => ({ observer: createObserverController({ ...context, mayUseOwnRights: false, report }) }),
    onStarted: (manager) => viewer?.watch(manager),
  });
  await viewer?.isReady();
  const states = () => weeder.controllers().observer?.shown()?.counts().resources ?? {};
  options.onBegin({ time, states, done: () => events.length / chapters.length });
  const results = await playChapters({
    clock,
    site,
    people: peopleOf(kubectl),
    start: weeder.start,
    events: () => events.at(-1) ?? [],
    report(event) {
      startedAt ??= clock.monotonic();
      if (event.type === 'chapter.began') events.push([]);
      onEvent(event);
    },
  });
  await options.onEnd(results);
  await weeder.stop();
  await Promise.all([client.close(), kubectl.close()]);
  site.stop();
  await listening.close();
}
