import { virtualClock } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { InspectionEvent } from 'xstate';
import { type Config, resolveConfig } from '../../../src/config/config.ts';
import { withDeclared } from '../../../src/config/serviceLookup.ts';
import { deleteThrough } from '../../../src/weeder/deletions/deletePod.ts';
import { readLogThrough } from '../../../src/weeder/deletions/readLog.ts';
import { readySinceThrough } from '../../../src/weeder/services/readySince.ts';
import { createStreams, type Streams } from '../../../src/weeder/streams.ts';
import { createWeeder, type Weeder } from '../../../src/weeder/weeder.ts';
import { heldCluster, type Kind } from '../world/heldCluster.ts';
import { fullKey } from '../world/observerWorld.ts';
import { replayAnswers } from './replayAnswers.ts';
import { replayApi } from './replayApi.ts';
import { replayCrashes } from './replayCrashes.ts';
import { replayCreations } from './replayCreations.ts';
import type { Replay } from './replayFile.ts';
import type { Expectation, PodStep, ReplayStep } from './replayFormat.ts';
import { podOf, sliceOf } from './replayObjects.ts';
import { replayObserver } from './replayObserver.ts';
import { replayRestarts } from './replayRestarts.ts';
import { isWithin, replayStates } from './replayStates.ts';
import { sentenceOf, type TimelineLine } from './replayTimeline.ts';

/** A weeder with its own streams and client, in a simulated cluster, and its observable behaviour. */
export type ReplayStage = ReturnType<typeof replayStage>;

const kinds: Readonly<Record<'pods' | 'slices', Kind>> = { pods: 'Pod', slices: 'EndpointSlice' };

/** `start` is the time of every clock at first, in epoch milliseconds. */
export function replayStage(replay: Replay, start: number, inspect: (event: InspectionEvent) => void) {
  const clock = virtualClock(start);
  const nodeTime = (at: number) => start + at;
  const cluster = heldCluster(clock);
  const answers = replayAnswers(clock);
  const states = replayStates();
  const crashes = replayCrashes();
  const timeline: TimelineLine[] = [];
  const failures: string[] = [];
  const uids = new Map<string, string>();
  const cut = new Set<Kind>();
  let weeder: Weeder | undefined;
  let streams: Streams | undefined;
  const declared = new Set(replay.declared);

  const log = (sentence: string) => void timeline.push({ at: clock.monotonic(), sentence });
  const creations = replayCreations(replay, clock, log);
  let config: Config = creations.withWebhooks(withDeclared(replay.resolved, declared));
  const api = replayApi({ cluster, clock, answers, log, isRecorded: replay.recorded.length > 0 });
  const inspectBoth = (event: InspectionEvent) => {
    states.inspect(event);
    inspect(event);
  };
  const restarts = replayRestarts({ replay, clock, answers, log, inspect: inspectBoth });
  const observer = replayObserver({ replay, clock, log, inspect: inspectBoth });

  function startWeeder(): void {
    weeder = createWeeder({
      config,
      runtime: { clock, inspect: inspectBoth },
      deletePod: crashes.deletePod(deleteThrough(api.client)),
      readLog: crashes.readLog(
        readLogThrough(api.client, clock, ({ pod, cause }) => log(`cannot read the log of ${pod}: ${cause}`)),
      ),
      readySince: crashes.readySince(
        readySinceThrough(api.client, ({ pod, cause }) => log(`cannot read ${pod}: ${cause}`)),
      ),
      ownerRequests: creations.ownerRequests,
      report: (event) => log(sentenceOf(event)),
      concurrentDeletions: replay.concurrentDeletions,
      isDryRun: replay.dryRun,
      random: () => 0.5,
    });
    crashes.reach(weeder);
    const isHeld = ({ kind }: StreamNeed) => kind !== 'Event';
    const onChanged = () => cluster.follow([...(streams?.needs.values() ?? [])].filter(isHeld));
    streams = createStreams({ weeder, config, namespaces: 'all', onChanged });
    onChanged();
    creations.follow(weeder);
    weeder.start();
    restarts?.start();
    observer?.start();
  }

  function stopWeeder(): void {
    cluster.follow([]);
    weeder?.stop();
    restarts?.stop();
    observer?.stop();
    weeder = undefined;
    streams = undefined;
    states.clear();
  }

  function configure(next: Config): void {
    config = creations.withWebhooks(withDeclared(next, declared));
    weeder?.configure(config);
    streams?.configure(config);
    restarts?.configure(config);
  }

  function putPod(step: PodStep): void {
    const key = `${step.namespace}/${step.name}`;
    const currentUid = cluster.get('Pod', step.namespace, step.name) === undefined ? undefined : uids.get(key);
    const uid = step.uid ?? currentUid ?? `${key}/${clock.monotonic()}`;
    uids.set(key, uid);
    if (step.unseen) cluster.hold('Pod');
    cluster.put('Pod', podOf(step, uid, clock.monotonic(), nodeTime));
    if (!step.unseen) catchUp('Pod');
  }

  /** Streams that are late list again; those that are cut do not. */
  function catchUp(kind: Kind): void {
    if (!cut.has(kind)) cluster.relist(kind, 'held');
  }

  function gap(kind: Kind): void {
    cut.add(kind);
    cluster.hold(kind);
  }

  function relist(kind: Kind): void {
    cut.delete(kind);
    cluster.relist(kind);
  }

  function remove(kind: Kind, { namespace, name }: NonNullable<ReplayStep['podDeleted']>): void {
    cluster.remove(kind, namespace, name);
    catchUp(kind);
  }

  function check(expectation: Expectation, where: string): void {
    const { endpoints, pods, workloads, rollouts } = expectation;
    for (const [key, expected] of Object.entries(endpoints)) compare(where, key, expected, states.get(key));
    for (const [key, expected] of Object.entries(pods)) compare(where, key, expected, states.get(uids.get(key) ?? ''));
    for (const [key, expected] of Object.entries(workloads))
      compare(where, key, expected, states.get(`deployment/${key}`));
    for (const failure of restarts?.rolloutsOtherThan(rollouts) ?? []) failures.push(`${where}: ${failure}`);
    checkObserved(expectation, where);
    checkCounts(expectation, where);
  }

  function checkObserved({ applications, resources, objects }: Expectation, where: string): void {
    for (const [key, expected] of Object.entries(applications))
      compare(where, key, expected, states.get(`application/${key}`));
    for (const [key, expected] of Object.entries(resources)) compare(where, key, expected, states.get(resourceId(key)));
    for (const failure of observer?.objectsOtherThan(objects) ?? []) failures.push(`${where}: ${failure}`);
  }

  function checkCounts({ counts }: Expectation, where: string): void {
    const actualCounts = Object.entries(weeder?.counts() ?? {});
    for (const [name, expected] of Object.entries(counts)) {
      const count = actualCounts.find(([each]) => each === name)?.[1];
      if (expected !== count) failures.push(`${where}: expected ${name} ${expected}, saw ${count ?? 'no weeder'}`);
    }
  }

  function compare(where: string, what: string, expected: string, state: string | undefined): void {
    const saw = state ?? 'nothing';
    const isMet = expected === 'nothing' ? state === undefined : isWithin(state, expected);
    if (!isMet) failures.push(`${where}: expected ${what} to be ${expected}, saw ${saw}`);
  }

  function happen(step: Omit<ReplayStep, 'at'>, where: string): void {
    if (step.slice) cluster.put('EndpointSlice', sliceOf(step.slice, nodeTime));
    if (step.sliceDeleted) remove('EndpointSlice', step.sliceDeleted);
    if (step.pod) putPod(step.pod);
    if (step.podDeleted) remove('Pod', step.podDeleted);
    if (step.gap) gap(kinds[step.gap]);
    if (step.relist) relist(kinds[step.relist]);
    if (step.expect) check(step.expect, where);
    creations.happen(step);
    restarts?.happen(step);
    observer?.happen(step);
    happenToApi(step);
    happenToWeeder(step);
  }

  function happenToApi(step: Omit<ReplayStep, 'at'>): void {
    if (step.answer) answers.script(step.answer);
    if (step.readings !== undefined) api.readings(step.readings);
  }

  function happenToWeeder(step: Omit<ReplayStep, 'at'>): void {
    if (step.clock !== undefined) clock.jumpWallClock(step.clock);
    if (step.sleep !== undefined) clock.suspend(step.sleep);
    if (step.config) configure(resolveConfig(step.config));
    if (step.crash) crashes.next(step.crash);
    if (step.weeder === 'stops') stopWeeder();
    if (step.weeder === 'starts') startWeeder();
  }

  function leftOver(): string[] {
    const { windows = 0, podDeletions = 0, queued = 0, inFlight = 0 } = weeder?.counts() ?? {};
    const left = Object.entries({
      windows,
      podDeletions,
      queued,
      inFlight,
      timers: observer === undefined ? clock.pending : 0,
    })
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} ${name}`);
    return [...left, ...(restarts?.leftOver() ?? []), ...(observer?.leftOver() ?? [])];
  }

  const pass = observer?.pass ?? restarts?.pass ?? clock.pass;
  return {
    clock,
    cluster,
    timeline,
    /** Each begins with its `file:line`. */
    failures,
    happen,
    startWeeder,
    stopWeeder,
    /** Lets time pass; milliseconds. */
    pass,
    /** Leftovers of a weeder without an open window, as text. */
    leftOver,
  };
}

/** The actor of `shop/web ConfigMap/settings` is `shop/web /ConfigMap/shop/settings`. */
function resourceId(text: string): string {
  const [application = '', resource = ''] = text.split(' ');
  return `application/${application} ${fullKey(resource)}`;
}
