import { simulatedClock } from '@weeder/embedded-cluster';
import { createKubeClient } from '../../kube/client/client.ts';
import type { RestartFact } from '../../restart/model/facts.ts';
import { accessTo } from '../run.ts';
import type { StoryOptions } from '../storyOptions.ts';
import type { ShopFact } from './facts.ts';
import { plainWatcher } from './plainWatcher.ts';
import { openShop } from './shop.ts';
import { chapters } from './story.ts';
import { faultsOf, type Told, tellStory } from './tell.ts';
import { weederKeeper } from './weederKeeper.ts';

export interface RestartOutcome {
  readonly told: readonly Told[];
  /** What did not go as the story has it, a sentence each. */
  readonly faults: readonly string[];
}

/** Tells the story with the real weeder, which talks to the embedded API server over HTTP; time runs fast. */
export async function playRestarts(options: StoryOptions<ShopFact | RestartFact, RestartOutcome>): Promise<void> {
  const { clock, logger, viewer, seed } = options;
  let startedAt: number | undefined;
  const time = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt);
  /** What weeder has told, by chapter. */
  const facts: RestartFact[][] = [];
  const onFact = (fact: ShopFact | RestartFact) => options.onFact(time(), fact);
  const shop = openShop(clock, seed, onFact);
  const listening = await shop.server.listen();
  const client = createKubeClient({ access: accessTo(listening.url), clock });
  const keeper = weederKeeper({
    ...viewer,
    client,
    clock,
    logger,
    report(fact) {
      facts.at(-1)?.push(fact);
      viewer?.reportRestart(fact);
      onFact(fact);
    },
    onStarted: (started) => viewer?.watch(started),
  });
  await viewer?.isReady();
  options.onBegin({ time, states: keeper.states, done: () => facts.length / chapters.length });
  const told = await tellStory({
    clock,
    shop,
    keeper: {
      ...keeper,
      async start() {
        onFact({ type: 'keeper.started' });
        await keeper.start();
      },
      async stop() {
        onFact({ type: 'keeper.stopped' });
        await keeper.stop();
      },
    },
    report: (fact) => {
      startedAt ??= clock.monotonic();
      if (fact.type === 'chapter.began') facts.push([]);
      onFact(fact);
    },
  });
  const faults = told.flatMap((each, index) => faultsOf(each, facts[index] ?? []));
  await options.onEnd({ told, faults });
  await keeper.stop();
  await client.close();
  shop.stop();
  await listening.close();
}

/** The same story with a plain watcher, in simulated time that takes no time. */
export async function playWithPlainWatcher(seed: number): Promise<readonly Told[]> {
  const clock = simulatedClock(Date.now());
  const shop = openShop(clock, seed);
  let told: readonly Told[] | undefined;
  const telling = tellStory({ clock, shop, keeper: plainWatcher(shop.server.store) }).then((all) => {
    told = all;
  });
  await clock.run(() => told !== undefined);
  await telling;
  shop.stop();
  return told ?? [];
}
