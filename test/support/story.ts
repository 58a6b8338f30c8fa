import { selectorToString } from '../../src/kube/selector.ts';
import type { DeletePod, DeletionAnswer, DeletionRequest } from '../../src/weeder/deletePod.ts';
import type { WeederFact } from '../../src/weeder/facts.ts';
import type { ReadySince } from '../../src/weeder/readySince.ts';
import { createWeeder, type Weeder } from '../../src/weeder/weeder.ts';
import type { ToldFact } from './accounts.ts';
import type { Entry, Happening, History } from './history.ts';
import { slice } from './objects.ts';
import type { Mood, Script, SliceChange, Step } from './steps.ts';
import { type StoryCluster, storyCluster } from './storyCluster.ts';
import { settled, virtualClock } from './virtualClock.ts';

/** A script that was played: what happened, and what weeder said of it. */
export interface Played {
  readonly history: History;
  readonly facts: readonly ToldFact[];
  /** What is left of a weeder at its end: windows, actors, places in the queue, timers. */
  readonly left: readonly string[];
}

const tooMany = 4000;
const longest = 5 * 60_000;

/** Plays a script with the real weeder in simulated time, and goes on until every window is over. */
export async function play(script: Script): Promise<Played> {
  const story = begin(script);
  story.startWeeder();
  for (const step of script.steps) {
    await story.happen(step);
    await settled();
    story.note({ what: 'time' });
  }
  await story.happen({ do: 'mood', mood: 'accept' });
  await story.happen({ do: 'answerLate', mood: 'accept' });
  await story.happen({ do: 'pass', ms: longest });
  await story.end();
  return story;
}

function begin({ services, concurrentDeletions, isDryRun }: Script) {
  const clock = virtualClock();
  const entries: Entry[] = [];
  const facts: ToldFact[] = [];
  const left: string[] = [];
  const late: ((mood: Exclude<Mood, 'late'>) => void)[] = [];
  const slices = new Map<string, SliceChange>();
  let mood: Mood = 'accept';
  let dating: Extract<Step, { do: 'dating' }> = { do: 'dating', how: 'unknown', ago: 0 };
  let attempts = 0;
  let lives = 0;
  let weeder: Weeder | undefined;

  const note = (happening: Happening) => void entries.push({ ...happening, t: clock.monotonic(), wall: clock.now() });
  const selectors = new Map(
    services.flatMap((each) => each.podSelectors).map((each) => [selectorToString(each), each]),
  );
  const options = { selectors: [...selectors.values()], now: () => clock.now(), note, weeder: () => weeder };
  const cluster = storyCluster(options);

  const deletePod: DeletePod = async (request) => {
    attempts += 1;
    const attempt = attempts;
    const { uid, resourceVersion: version, policy } = request;
    note({ what: 'asked', attempt, uid, version, how: `${policy.deletion} ${policy.gracePeriodSeconds}` });
    const inTime = mood === 'late' ? await new Promise<Exclude<Mood, 'late'>>((resolve) => late.push(resolve)) : mood;
    await Promise.resolve();
    const answer = answerOf(inTime, request, cluster);
    note({ what: 'answered', attempt, answer });
    return answer;
  };

  const readySince: ReadySince = async ({ backingPods }, _, signal) => {
    const { how, ago } = dating;
    if (how === 'late') await new Promise<void>((resolve) => late.push(() => resolve()));
    const since = how === 'known' || how === 'late' ? clock.now() - ago : undefined;
    const [pod] = backingPods ?? [];
    const service = `${pod?.namespace}/${pod?.name.replace(/-\d+$/, '')}`;
    if (!signal.aborted) note({ what: 'dated', service, since });
    if (how === 'fails') throw new Error('the API server is away');
    return since;
  };

  function startWeeder(): void {
    lives += 1;
    const config = { services: new Map(services.map((each) => [each.name, each])) };
    const random = () => ((entries.length * 7919) % 101) / 100;
    const options = {
      config,
      runtime: { clock },
      concurrentDeletions,
      isDryRun,
      random,
      report: report(lives),
      deletePod,
      readySince,
    };
    const started = createWeeder(options);
    weeder = started;
    note({ what: 'listing' });
    for (const sink of [started.slices, ...started.pods.values()]) sink.begin();
    for (const [key, change] of slices) tellSlice(key, change);
    cluster.list();
    for (const sink of [started.slices, ...started.pods.values()]) sink.end();
    note({ what: 'running' });
    started.start();
  }

  const report = (life: number) => (fact: WeederFact) => {
    facts.push({ ...fact, t: clock.monotonic(), life });
    if (fact.type !== 'pod.deleted' || fact.how !== 'dryRun') return;
    attempts += 1;
    const attempt = attempts;
    const { uid, resourceVersion: version } = fact.pod;
    note({ what: 'asked', attempt, uid, version, how: 'dry run' });
    note({ what: 'answered', attempt, answer: { type: 'delete.accepted' } });
  };

  function tellSlice(key: string, change: SliceChange): void {
    const { namespace, service, ready } = change;
    const isReady = [...slices.values()].some(
      (each) => each.namespace === namespace && each.service === service && each.ready?.includes(true),
    );
    note({ what: 'slice', service: `${namespace}/${service}`, isReady });
    const object = slice({ namespace, service, name: key, ready: ready ?? [], withTargets: true });
    weeder?.slices.apply(ready === null ? 'DELETED' : 'MODIFIED', object);
  }

  function changeSlice(change: SliceChange): string {
    const key = `${change.service}-${change.part}-${change.namespace}`;
    if (change.ready === null) slices.delete(key);
    else slices.set(key, change);
    return key;
  }

  function readSlicesAgain(change: SliceChange): void {
    const key = changeSlice(change);
    note({ what: 'gap' });
    weeder?.slices.begin();
    for (const [each, options] of slices) tellSlice(each, options);
    if (change.ready === null) tellSlice(key, change);
    note({ what: 'gapEnds' });
    weeder?.slices.end();
  }

  async function stop(): Promise<void> {
    note({ what: 'stopped' });
    const ending = weeder;
    weeder = undefined;
    ending?.stop();
    await settled();
    noteLeft({ windows: ending?.counts().windows });
  }

  function noteLeft(counts: Readonly<Record<string, number | undefined>>): void {
    left.push(...Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : `${count} ${name}`)));
  }

  function answerLate(how: Exclude<Mood, 'late'>): void {
    for (const resolve of late.splice(0)) resolve(how);
  }

  return {
    history: { services, concurrentDeletions, entries },
    facts,
    left,
    note,
    startWeeder,
    async happen(step: Step): Promise<void> {
      switch (step.do) {
        case 'pod':
          return cluster.put(step);
        case 'remove':
          return cluster.remove(step);
        case 'slice':
          return tellSlice(changeSlice(step), step);
        case 'sliceGap':
          return readSlicesAgain(step);
        case 'relistPods':
          return cluster.relist();
        case 'dating':
          dating = step;
          return;
        case 'jump':
          return clock.jumpWallClock(step.ms);
        case 'mood':
          mood = step.mood;
          return;
        case 'answerLate':
          return answerLate(step.mood);
        case 'restart':
          await stop();
          await clock.pass(step.after);
          return startWeeder();
        case 'pass':
          return clock.pass(step.ms);
      }
    },
    async end(): Promise<void> {
      answerLate('accept');
      await clock.pass(longest);
      const { windows, podDeletions, queued, inFlight } = weeder?.counts() ?? {};
      noteLeft({ windows, podDeletions, queued, inFlight, timers: clock.pending });
    },
  };
}

function answerOf(mood: Exclude<Mood, 'late'>, request: DeletionRequest, cluster: StoryCluster): DeletionAnswer {
  switch (mood) {
    case 'accept':
      return cluster.delete(request);
    case 'refuse':
      return { type: 'delete.refused' };
    case 'tooMany':
      return { type: 'delete.refused', reason: '429', retryAfter: tooMany };
    case 'reject':
      return { type: 'delete.rejected', reason: 'no' };
    case 'conflict':
      return { type: 'delete.conflicted' };
  }
}
