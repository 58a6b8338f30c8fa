import type { Moment } from '../../protocol/moment.ts';
import type { ServiceView } from '../../protocol/protocol.ts';

/** The drawn time range. Epoch milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The history of a service, a workload or an application, for drawing. Epoch milliseconds. */
export interface Lane {
  readonly about: string;
  readonly outages: readonly Span[];
  readonly windows: readonly Span[];
  readonly recoveries: readonly number[];
  readonly deletions: readonly Moment[];
  /** What was refused, was blocked or failed, and drift. */
  readonly problems: readonly Moment[];
}

export interface Span {
  readonly from: number;
  /** Undefined: it has not ended. */
  readonly to: number | undefined;
  /** It began before the first known moment. */
  readonly hasBegunBefore: boolean;
}

interface OpenLane {
  readonly about: string;
  readonly outages: OpenSpan[];
  readonly windows: OpenSpan[];
  /** The number of the newest window. */
  window: number | undefined;
  readonly recoveries: number[];
  readonly deletions: Moment[];
  readonly problems: Moment[];
}

interface OpenSpan extends Span {
  to: number | undefined;
}

/**
 * The lanes of everything that the moments concern, and of the services that are not ready. `moments`: oldest first,
 * without outages that had begun when weeder started.
 */
export function lanesOf(moments: readonly Moment[], notReady: Iterable<ServiceView> = []): Lane[] {
  const lanes = new Map<string, OpenLane>();
  const laneOf = (about: string): OpenLane => {
    const lane = lanes.get(about) ?? { about, ...emptyLane() };
    lanes.set(about, lane);
    return lane;
  };
  for (const moment of moments)
    if (/^(service|window|pod|deletion|workload|application|resource)\./.test(moment.what))
      put(laneOf(moment.about), moment);
  for (const { namespace, service, since, readyUntil } of notReady) {
    if (since === undefined) continue;
    const { outages } = laneOf(`${namespace}/${service}`);
    if (isOver(outages)) outages.push(begun(readyUntil ?? since));
  }
  return [...lanes.values()];
}

function emptyLane(): Omit<OpenLane, 'about'> {
  return { outages: [], windows: [], window: undefined, recoveries: [], deletions: [], problems: [] };
}

/**
 * The order of the lanes: an outage that lasts, a problem or an open window, and what else happened. Undefined: nothing
 * is to be drawn in this range.
 */
export function laneRank(
  { outages, windows, recoveries, deletions, problems }: Lane,
  { from, to }: Range,
): number | undefined {
  const isIn = (t: number) => t >= from && t <= to;
  const lasts = (span: Span) => span.from <= to && (span.to ?? to) >= from;
  if (outages.some((each) => each.to === undefined && lasts(each))) return 0;
  if (problems.some(({ t }) => isIn(t)) || windows.some((each) => each.to === undefined && lasts(each))) return 1;
  const isShown = [...outages, ...windows].some(lasts) || recoveries.some(isIn) || deletions.some(({ t }) => isIn(t));
  return isShown ? 2 : undefined;
}

function put(lane: OpenLane, moment: Moment): void {
  const { t, what } = moment;
  switch (what) {
    case 'service.notReady':
      if (isOver(lane.outages)) lane.outages.push(begun(t));
      break;
    case 'service.ready':
      recover(lane, t);
      break;
    case 'window.opened':
      recover(lane, t);
      end(lane.windows, t);
      lane.windows.push(begun(t));
      lane.window = moment.window;
      break;
    case 'window.closed':
      // A window that was replaced closes after the next one has opened.
      if (lane.window !== undefined && moment.window !== lane.window) break;
      if (lane.windows.length === 0) lane.windows.push({ from: t, to: undefined, hasBegunBefore: true });
      end(lane.windows, t);
      break;
    case 'pod.deleted':
    case 'workload.restarted':
    case 'resource.corrected':
    case 'resource.applied':
      lane.deletions.push(moment);
      break;
    case 'workload.blocked':
    case 'workload.stalled':
    case 'workload.reverted':
    case 'workload.refused':
    case 'resource.drifted':
    case 'resource.missing':
    case 'resource.correctionBackOff':
    case 'resource.ownershipConflict':
    case 'resource.refused':
    case 'resource.failed':
    case 'application.invalid':
    case 'application.refused':
    case 'deletion.refused':
    case 'deletion.failed':
      lane.problems.push(moment);
  }
}

function recover(lane: OpenLane, t: number): void {
  if (end(lane.outages, t)) lane.recoveries.push(t);
}

/** Whether there is none, or the last one has ended. */
function isOver(spans: readonly OpenSpan[]): boolean {
  return spans.length === 0 || spans.at(-1)?.to !== undefined;
}

/** Ends the open span. Returns false if there is none. */
function end(spans: readonly OpenSpan[], t: number): boolean {
  const last = spans.at(-1);
  if (last === undefined || last.to !== undefined) return false;
  last.to = t;
  return true;
}

function begun(t: number): OpenSpan {
  return { from: t, to: undefined, hasBegunBefore: false };
}
