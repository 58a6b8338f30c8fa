import { createKubeClient } from '../../kube/client/client.ts';
import type { ObserverFact } from '../../observer/model/facts.ts';
import { createObserverPart } from '../../observer/observerPart.ts';
import { accessTo } from '../run.ts';
import type { StoryOptions } from '../storyOptions.ts';
import { weederAtWork } from '../weederAtWork.ts';
import type { StoryFact } from './facts.ts';
import { configText } from './objects.ts';
import { openSite, peopleOf } from './site.ts';
import { chapters } from './story.ts';
import { type Told, tellStory } from './tell.ts';

/** Tells the story with the real weeder, which talks to the embedded API server over HTTP. */
export async function playObserver(options: StoryOptions<StoryFact, readonly Told[]>): Promise<void> {
  const { clock, logger, viewer, seed } = options;
  let startedAt: number | undefined;
  const time = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt);
  /** What weeder has told, by chapter. */
  const facts: ObserverFact[][] = [];
  const onFact = (fact: StoryFact) => options.onFact(time(), fact);
  const site = openSite(clock, seed);
  const listening = await site.server.listen();
  const [client, kubectl] = [0, 1].map(() => createKubeClient({ access: accessTo(listening.url), clock }));
  if (client === undefined || kubectl === undefined) throw new Error('there is no client');
  const report = (fact: ObserverFact) => {
    facts.at(-1)?.push(fact);
    viewer?.reportObserver(fact);
    onFact(fact);
  };
  const weeder = weederAtWork({
    ...viewer,
    client,
    clock,
    logger,
    config: configText,
    createPart: (context) => createObserverPart({ ...context, mayUseOwnRights: false, report }),
    onStarted: (started) => viewer?.watch({ ...started, applications: () => weeder.part()?.core()?.entries() ?? [] }),
  });
  await viewer?.isReady();
  const states = () => weeder.part()?.core()?.counts().resources ?? {};
  options.onBegin({ time, states, done: () => facts.length / chapters.length });
  const told = await tellStory({
    clock,
    site,
    people: peopleOf(kubectl),
    start: weeder.start,
    facts: () => facts.at(-1) ?? [],
    report(fact) {
      startedAt ??= clock.monotonic();
      if (fact.type === 'chapter.began') facts.push([]);
      onFact(fact);
    },
  });
  await options.onEnd(told);
  await weeder.stop();
  await Promise.all([client.close(), kubectl.close()]);
  site.stop();
  await listening.close();
}
