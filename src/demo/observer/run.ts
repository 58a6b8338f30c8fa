import { createObserverController } from '../../observer/observerController.ts';
import { createStory } from '../createStory.ts';
import { clientTo } from '../run.ts';
import type { StoryOptions } from '../storyOptions.ts';
import { createWeederProcess } from '../weederProcess.ts';
import type { SiteEvent, StoryEvent } from './events.ts';
import { configText } from './objects.ts';
import { type ChapterResult, chapterPlayer } from './playChapter.ts';
import { openSite, peopleOf } from './site.ts';
import { type Chapter, chapters } from './story.ts';

/** Plays the story with the real weeder and the embedded API server, over HTTP. */
export async function playObserver(options: StoryOptions<StoryEvent, readonly ChapterResult[]>): Promise<void> {
  const { clock, logger, viewer, seed } = options;
  const story = createStory<'observer', Chapter, SiteEvent>({ controller: 'observer', chapters, options });
  const site = openSite(clock, seed);
  const listening = await site.server.listen();
  const [client, kubectl] = [0, 1].map(() => clientTo(listening.url, clock));
  if (client === undefined || kubectl === undefined) throw new Error('there is no client');
  const { report, onStarted, onAction, events } = story;
  const weeder = createWeederProcess({
    ...viewer,
    client,
    clock,
    logger,
    config: configText,
    create: (context) => ({ observer: createObserverController({ ...context, mayUseOwnRights: false, report }) }),
    onStarted,
  });
  const states = () => weeder.controllers().observer?.shown()?.counts().resources ?? {};
  const playChapter = chapterPlayer({
    clock,
    site,
    people: peopleOf(kubectl),
    start: weeder.start,
    events,
    onAction,
  });
  // The next chapters depend on the outcome of the one before.
  const results = await story.play(states, playChapter, ({ isAsExpected }) => !isAsExpected);
  await options.onEnd(results);
  await weeder.stop();
  await Promise.all([client.close(), kubectl.close()]);
  site.stop();
  await listening.close();
}
