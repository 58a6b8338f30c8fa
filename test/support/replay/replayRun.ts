import { formatDuration, objectOf } from '@weeder/kube-runtime/base';
import { settled } from '@weeder/kube-runtime/testing';
import type { InspectionEvent } from 'xstate';
import type { HeldCluster } from '../world/heldCluster.ts';
import type { Replay } from './replayFile.ts';
import type { ReplayStep } from './replayFormat.ts';
import { replayStage } from './replayStage.ts';
import { firstDifference } from './replayTimeline.ts';

/** After the last step: longer than every window. Milliseconds. */
const aftermath = 20 * 60_000;

/** Plays a replay from its start to the end of its last window, in simulated time. */
export async function play(replay: Replay, inspect: (event: InspectionEvent) => void = () => {}) {
  const start = replay.recorded[0]?.time ?? Date.UTC(2026, 0, 1);
  const stage = replayStage(replay, start, inspect);
  const { clock, cluster, failures, timeline } = stage;

  async function arrive({ at, where }: Event): Promise<void> {
    const wait = at - clock.monotonic();
    if (wait < 0) failures.push(`${where}: expected to be at ${formatDuration(at)}, saw weeder asleep past it`);
    if (wait > 0) await stage.pass(wait);
  }

  for (const step of replay.before) stage.happen(step, replay.where);
  stage.startWeeder();
  for (const event of eventsOf(replay, start)) {
    await arrive(event);
    if ('recorded' in event) apply(cluster, event.recorded);
    else {
      if (event.step.expect) await settled();
      stage.happen(event.step, event.where);
    }
  }
  await stage.pass(Math.max(aftermath, (replay.lasts ?? 0) - clock.monotonic()));
  const left = stage.leftOver().map((each) => `${replay.where}: expected nothing left at the end, saw ${each}`);
  const difference = firstDifference(replay, timeline);
  return { failures: [...failures, ...left, ...(difference === undefined ? [] : [difference])], timeline };
}

function apply(cluster: HeldCluster, { type, object }: Replay['recorded'][number]): void {
  const { namespace, name } = objectOf(object['metadata']);
  const kind = object['kind'] === 'Pod' ? 'Pod' : 'EndpointSlice';
  if (type === 'DELETED') cluster.remove(kind, String(namespace), String(name));
  else cluster.put(kind, object);
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
  const recorded: Event[] = replay.recorded.map((event) => ({
    at: event.time - start,
    where: event.where,
    recorded: event,
  }));
  return [...recorded, ...steps].toSorted((a, b) => a.at - b.at);
}
