import type { Clock } from '../../clock.ts';
import { createKubeClient } from '../../kube/client.ts';
import type { Logger } from '../../log.ts';
import type { ObserverFact, ReportObserver } from '../../observer/facts.ts';
import { accessTo, type DemoViewer } from '../run.ts';
import type { StoryFact } from './facts.ts';
import { openSite, peopleOf } from './site.ts';
import { chapters } from './story.ts';
import { type Told, tellStory } from './tell.ts';
import { weederAtWork } from './weederAtWork.ts';

export interface ObserverDemoOptions {
  /** In its time the story takes its course. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly seed: number;
  /** Shows weeder to whoever looks. */
  readonly viewer?: DemoViewer;
  /** Told of everything; `time` is milliseconds since the beginning of the story. */
  readonly onFact: (time: number, fact: StoryFact) => void;
  /** Told that the story begins. */
  readonly onBegin: (story: ObserverStory) => void;
  /** Told how it ended; weeder and its cluster stay for as long as this takes. */
  readonly onEnd: (told: readonly Told[]) => Promise<void>;
}

/** The story while it is told. */
export interface ObserverStory {
  /** Milliseconds since its beginning. */
  time(): number;
  /** From 0 to 1: how many of its chapters have begun. */
  done(): number;
  /** How many resources are in which state. */
  states(): Readonly<Record<string, number>>;
}

/** Tells the story with the real weeder, which talks to the embedded API server over HTTP. */
export async function playObserver(options: ObserverDemoOptions): Promise<void> {
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
  const report: ReportObserver = (fact) => {
    facts.at(-1)?.push(fact);
    onFact(fact);
  };
  const weeder = weederAtWork({ ...viewer, client, clock, logger, report, onStarted: (it) => viewer?.watch(it) });
  await viewer?.isReady();
  options.onBegin({ time, states: weeder.states, done: () => facts.length / chapters.length });
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
