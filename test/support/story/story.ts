import { selectorToString } from '@weeder/kube-runtime/objects';
import { settled, virtualClock } from '@weeder/kube-runtime/testing';
import { readNoLog } from '../../../src/weeder/deletions/readLog.ts';
import type { WeederEvent } from '../../../src/weeder/deletions/weederEvents.ts';
import { createWeeder, type Weeder } from '../../../src/weeder/weeder.ts';
import type { ReportedEvent } from '../oracle/accounts.ts';
import type { Entry, History, HistoryEvent } from '../recording/history.ts';
import type { Script, Step } from '../steps.ts';
import { storyAnswers } from './storyAnswers.ts';
import { storyCluster } from './storyCluster.ts';
import { storySlices } from './storySlices.ts';

/** A script that was played: what happened, and what weeder reported of it. */
export interface Played {
  readonly history: History;
  readonly events: readonly ReportedEvent[];
  /** What is left of a weeder at its end: windows, actors, places in the queue, timers. */
  readonly left: readonly string[];
}

const longest = 5 * 60_000;

/** Plays a script with the real weeder in simulated time, until every window is over. */
export async function play(script: Script): Promise<Played> {
  const story = begin(script);
  story.startWeeder();
  for (const step of script.steps) {
    await story.happen(step);
    await settled();
    story.note({ what: 'time' });
  }
  await story.happen({ do: 'respond', response: 'accept' });
  await story.happen({ do: 'answerLate', response: 'accept' });
  await story.happen({ do: 'pass', ms: longest });
  await story.end();
  return story;
}

function begin({ services, concurrentDeletions, isDryRun }: Script) {
  const clock = virtualClock();
  const entries: Entry[] = [];
  const events: ReportedEvent[] = [];
  const left: string[] = [];
  let runs = 0;
  let weeder: Weeder | undefined;

  const note = (event: HistoryEvent) => void entries.push({ ...event, t: clock.monotonic(), wall: clock.now() });
  const selectors = new Map(
    services.flatMap((each) => each.podSelectors).map((each) => [selectorToString(each), each]),
  );
  const options = { selectors: [...selectors.values()], now: () => clock.now(), note, weeder: () => weeder };
  const cluster = storyCluster({ ...options, clock });
  const slices = storySlices(options);
  const answers = storyAnswers({ ...options, accept: cluster.delete, readyTimeOf: slices.readySince });

  function startWeeder(): void {
    runs += 1;
    const config = { services: new Map(services.map((each) => [each.name, each])), restart: undefined };
    const random = () => ((entries.length * 7919) % 101) / 100;
    const options = {
      config,
      runtime: { clock },
      concurrentDeletions,
      isDryRun,
      random,
      report: report(runs),
      deletePod: answers.deletePod,
      readLog: readNoLog,
      readySince: answers.readySince,
    };
    const started = createWeeder(options);
    weeder = started;
    note({ what: 'listing' });
    started.slices.begin();
    slices.list();
    started.slices.end();
    cluster.follow(started);
    note({ what: 'running' });
    started.start();
  }

  const report = (life: number) => (event: WeederEvent) => {
    events.push({ ...event, t: clock.monotonic(), place: entries.length - 1, life });
    if (event.type === 'pod.deleted' && event.how === 'dryRun') answers.pretend(event.pod);
  };

  async function stop(): Promise<void> {
    note({ what: 'stopped' });
    const ending = weeder;
    weeder = undefined;
    ending?.stop();
    cluster.follow(undefined);
    await settled();
    const { windows, queued } = ending?.counts() ?? {};
    noteRemaining({ windows, queued, timers: clock.pending });
  }

  function noteRemaining(counts: Readonly<Record<string, number | undefined>>): void {
    left.push(...Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : `${count} ${name}`)));
  }

  return {
    history: { services, concurrentDeletions, entries },
    events,
    left,
    note,
    startWeeder,
    async happen(step: Step): Promise<void> {
      switch (step.do) {
        case 'pod':
          return cluster.put(step);
        case 'touch':
          return cluster.touch(step);
        case 'remove':
          return cluster.remove(step);
        case 'relistPods':
          return cluster.relist();
        case 'slice':
          return slices.change(step);
        case 'sliceGap':
          return slices.readAgain(step, step.outageEnded);
        case 'readyTime':
          return answers.readyTimes(step);
        case 'respond':
          return answers.deletions(step.response);
        case 'answerLate':
          return answers.answerLate(step.response);
        case 'jump':
          return clock.jumpWallClock(step.ms);
        case 'sleep':
          clock.suspend(step.ms);
          return note({ what: 'awake' });
        case 'restart':
          await stop();
          await clock.pass(step.after);
          return startWeeder();
        case 'pass':
          return clock.pass(step.ms);
      }
    },
    async end(): Promise<void> {
      answers.answerLate('accept');
      await clock.pass(longest);
      const { windows, podDeletions, queued, inFlight } = weeder?.counts() ?? {};
      noteRemaining({ windows, podDeletions, queued, inFlight, timers: clock.pending });
    },
  };
}
