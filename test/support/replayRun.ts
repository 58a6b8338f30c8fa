import type { InspectionEvent } from 'xstate';
import { formatDuration } from '../../src/config/duration.ts';
import { objectOf } from '../../src/json.ts';
import { deleteThrough } from '../../src/weeder/deletePod.ts';
import { readySinceThrough } from '../../src/weeder/readySince.ts';
import { streamsOf } from '../../src/weeder/streams.ts';
import { createWeeder, type Weeder } from '../../src/weeder/weeder.ts';
import { replayApi } from './replayApi.ts';
import { type Kind, replayCluster } from './replayCluster.ts';
import { replayCrashes } from './replayCrashes.ts';
import type { Replay } from './replayFile.ts';
import type { Expectation, PodStep, ReplayStep } from './replayFormat.ts';
import { podOf, sliceOf } from './replayObjects.ts';
import { isWithin, replayStates } from './replayStates.ts';
import { firstDifference, sentenceOf, type TimelineLine } from './replayTimeline.ts';
import { settled, virtualClock } from './virtualClock.ts';

/** How a replay went: every failure begins with the `file:line` that it is about. */
export interface Played {
  readonly failures: readonly string[];
  readonly timeline: readonly TimelineLine[];
}

/** After the last step: longer than every window. Milliseconds. */
const aftermath = 20 * 60_000;
const kinds: Readonly<Record<'pods' | 'slices', Kind>> = { pods: 'Pod', slices: 'EndpointSlice' };

/** Plays a replay in simulated time: a new weeder behind its own streams and client, in a cluster that behaves. */
export async function play(replay: Replay, inspect: (event: InspectionEvent) => void = () => {}): Promise<Played> {
  const firstRecorded = replay.recorded[0]?.time;
  const start = firstRecorded ?? Date.UTC(2026, 0, 1);
  const clock = virtualClock(start);
  const nodeTime = (at: number) => start + at;
  const cluster = replayCluster();
  const states = replayStates();
  const crashes = replayCrashes();
  const timeline: TimelineLine[] = [];
  const failures: string[] = [];
  const uids = new Map<string, string>();
  let weeder: Weeder | undefined;

  const tell = (sentence: string) => void timeline.push({ at: clock.monotonic(), sentence });
  const api = replayApi({ cluster, clock, tell, isRecorded: firstRecorded !== undefined });

  function startWeeder(): void {
    const config = replay.resolved;
    weeder = createWeeder({
      config,
      runtime: {
        clock,
        inspect: (event) => {
          states.inspect(event);
          inspect(event);
        },
      },
      deletePod: crashes.deletePod(deleteThrough(api.client)),
      readySince: crashes.readySince(readySinceThrough(api.client)),
      report: (fact) => tell(sentenceOf(fact)),
      concurrentDeletions: replay.concurrentDeletions,
      isDryRun: replay.dryRun,
      random: () => 0.5,
    });
    crashes.reach(weeder);
    cluster.open(streamsOf(weeder, config, 'all'), config);
    weeder.start();
  }

  function stopWeeder(): void {
    cluster.close();
    weeder?.stop();
    weeder = undefined;
    states.clear();
  }

  function putPod(step: PodStep): void {
    const key = `${step.namespace}/${step.name}`;
    const known = cluster.get('Pod', step.namespace, step.name) === undefined ? undefined : uids.get(key);
    const uid = step.uid ?? known ?? `${key}/${clock.monotonic()}`;
    uids.set(key, uid);
    cluster.put(podOf(step, uid, clock.monotonic(), nodeTime), !step.unseen);
  }

  function check({ endpoints, pods, counts }: Expectation, where: string): void {
    const found = Object.entries(weeder?.counts() ?? {});
    for (const [key, expected] of Object.entries(endpoints)) compare(where, key, expected, states.get(key));
    for (const [key, expected] of Object.entries(pods)) compare(where, key, expected, states.get(uids.get(key) ?? ''));
    for (const [name, expected] of Object.entries(counts)) {
      const count = found.find(([each]) => each === name)?.[1];
      if (expected !== count) failures.push(`${where}: expected ${name} ${expected}, saw ${count ?? 'no weeder'}`);
    }
  }

  function compare(where: string, what: string, expected: string, state: string | undefined): void {
    const saw = state ?? 'nothing';
    const isMet = expected === 'nothing' ? state === undefined : isWithin(state, expected);
    if (!isMet) failures.push(`${where}: expected ${what} to be ${expected}, saw ${saw}`);
  }

  function happen(step: ReplayStep, where: string): void {
    if (step.slice) cluster.put(sliceOf(step.slice, nodeTime));
    if (step.sliceGone) cluster.remove('EndpointSlice', step.sliceGone.namespace, step.sliceGone.name);
    if (step.pod) putPod(step.pod);
    if (step.podGone) cluster.remove('Pod', step.podGone.namespace, step.podGone.name);
    if (step.gap) cluster.cut(kinds[step.gap]);
    if (step.relist) cluster.relist(kinds[step.relist]);
    if (step.expect) check(step.expect, where);
    happenToWeeder(step);
  }

  function happenToWeeder(step: ReplayStep): void {
    if (step.answer) api.script(step.answer);
    if (step.clock !== undefined) clock.jumpWallClock(step.clock);
    if (step.sleep !== undefined) clock.standStill(step.sleep);
    if (step.crash) crashes.next(step.crash);
    if (step.weeder === 'stops') stopWeeder();
    if (step.weeder === 'starts') startWeeder();
  }

  async function passUntil(time: number, where: string): Promise<void> {
    const wait = time - clock.monotonic();
    if (wait < 0) failures.push(`${where}: expected to be at ${formatDuration(time)}, saw weeder asleep past it`);
    if (wait > 0) await clock.pass(wait);
  }

  for (const each of replay.before) happen({ at: 0, ...each }, replay.where);
  startWeeder();
  for (const event of eventsOf(replay, start)) {
    await passUntil(event.at, event.where);
    if ('step' in event && event.step.expect) await settled();
    if ('step' in event) happen(event.step, event.where);
    else if (event.recorded.type !== 'DELETED') cluster.put(event.recorded.object);
    else
      cluster.remove(
        event.recorded.object['kind'] === 'Pod' ? 'Pod' : 'EndpointSlice',
        ...nameOf(event.recorded.object),
      );
  }
  await clock.pass(Math.max(aftermath, (replay.lasts ?? 0) - clock.monotonic()));
  for (const each of leftOver(weeder, clock.pending))
    failures.push(`${replay.where}: expected nothing left at the end, saw ${each}`);
  stopWeeder();
  const difference = firstDifference(replay, timeline);
  return { failures: difference === undefined ? failures : [...failures, difference], timeline };
}

type Event = { readonly at: number; readonly where: string } & (
  | { readonly step: ReplayStep }
  | { readonly recorded: Replay['recorded'][number] }
);

/** Steps and recorded events in the order of their times. */
function eventsOf(replay: Replay, start: number): Event[] {
  const steps: Event[] = replay.steps.map((step, index) => ({
    at: step.at,
    where: replay.whereStep[index] ?? '',
    step,
  }));
  const recorded: Event[] = replay.recorded.map((each) => ({
    at: each.time - start,
    where: each.where,
    recorded: each,
  }));
  return [...recorded, ...steps].toSorted((a, b) => a.at - b.at);
}

function nameOf(object: unknown): [string, string] {
  const { namespace, name } = objectOf(objectOf(object)['metadata']);
  return [String(namespace), String(name)];
}

/** What a weeder without an open window must not have any more. */
function leftOver(weeder: Weeder | undefined, timers: number): string[] {
  const { windows = 0, podDeletions = 0, queued = 0, inFlight = 0 } = weeder?.counts() ?? {};
  return Object.entries({ windows, podDeletions, queued, inFlight, timers })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
}
