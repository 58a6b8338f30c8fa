import type { Moment } from '../../protocol.ts';

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

/** The lanes of everything that the moments concern, in the order of the names. `moments`: oldest first. */
export function lanesOf(moments: readonly Moment[]): Lane[] {
  const lanes = new Map<string, OpenLane>();
  for (const moment of moments) {
    if (!/^(service|window|pod|deletion|workload|application|resource)\./.test(moment.what)) continue;
    const { about } = moment;
    const lane = lanes.get(about) ?? {
      about,
      outages: [],
      windows: [],
      window: undefined,
      recoveries: [],
      deletions: [],
      problems: [],
    };
    lanes.set(about, lane);
    put(lane, moment);
  }
  return [...lanes.values()].sort((a, b) => (a.about < b.about ? -1 : 1));
}

function put(lane: OpenLane, moment: Moment): void {
  const { t, what } = moment;
  switch (what) {
    case 'service.notReady':
      if (lane.outages.at(-1)?.to !== undefined || lane.outages.length === 0) lane.outages.push(begun(t));
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
