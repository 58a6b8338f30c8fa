import type { Moment } from '../../protocol/moment.ts';
import { kindOf, type MomentKind } from '../../protocol/momentKinds.ts';
import type { ServiceView } from '../../protocol/protocol.ts';
import { hasMark, type MarkKind } from './kinds.ts';

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
  /** In the order of their times. */
  readonly marks: readonly Mark[];
}

export interface Span {
  readonly from: number;
  /** Undefined: it has not ended. */
  readonly to: number | undefined;
  /** It began before the first known moment. */
  readonly hasBegunBefore: boolean;
  /** The event that it opens: the one that began it. Undefined: none is known. */
  readonly moment: Moment | undefined;
}

interface Mark {
  readonly kind: MarkKind;
  readonly moment: Moment;
}

interface OpenLane extends Lane {
  readonly outages: OpenSpan[];
  readonly windows: OpenSpan[];
  readonly marks: Mark[];
  /** The number of the newest window. */
  window: number | undefined;
  /** When the service was first found ready, without an outage before. */
  foundReadyAt: number | undefined;
}

interface OpenSpan extends Span {
  to: number | undefined;
}

/**
 * The lanes of everything that the moments concern, and of the services that are down. `moments`: oldest first,
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
    if (/^(service|window|pod|deletion|creation|workload|application|resource|decision)\./.test(moment.what))
      put(laneOf(moment.about), moment);
  for (const { namespace, service, since, readyUntil } of notReady) {
    if (since === undefined) continue;
    const { outages, foundReadyAt = 0 } = laneOf(`${namespace}/${service}`);
    const from = readyUntil ?? since;
    // In a replay, the moments are those of the whole recording.
    if (isOver(outages) && !outages.some(({ to = 0 }) => to > from))
      outages.push({ ...begun(from), to: foundReadyAt > from ? foundReadyAt : undefined });
  }
  return [...lanes.values()];
}

function emptyLane(): Omit<OpenLane, 'about'> {
  return { outages: [], windows: [], marks: [], window: undefined, foundReadyAt: undefined };
}

/** The lane without the kinds that are switched off. */
export function onlyKinds(lane: Lane, isOn: (kind: MomentKind) => boolean): Lane {
  return {
    about: lane.about,
    outages: isOn('outage') ? lane.outages : [],
    windows: isOn('window') ? lane.windows : [],
    marks: lane.marks.filter(({ kind }) => isOn(kind)),
  };
}

/**
 * The order of the lanes: an outage that lasts, a problem or an open window, and what else happened. Undefined: nothing
 * is to be drawn in this range.
 */
export function laneRank({ outages, windows, marks }: Lane, { from, to }: Range): number | undefined {
  const lasts = (span: Span) => span.from <= to && (span.to ?? to) >= from;
  if (outages.some((each) => each.to === undefined && lasts(each))) return 0;
  const shown = marks.filter(({ moment: { t } }) => t >= from && t <= to);
  const isProblem = shown.some(({ kind }) => kind === 'problem' || kind === 'drift' || kind === 'deviation');
  if (isProblem || windows.some((each) => each.to === undefined && lasts(each))) return 1;
  return shown.length > 0 || [...outages, ...windows].some(lasts) ? 2 : undefined;
}

/** When the first of what is drawn begins; undefined: nothing is drawn. */
export function beginningOf(lanes: readonly Lane[]): number | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const { outages, windows, marks } of lanes) {
    for (const { from } of [...outages.slice(0, 1), ...windows.slice(0, 1)]) first = Math.min(first, from);
    first = Math.min(first, marks[0]?.moment.t ?? first);
  }
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

function put(lane: OpenLane, moment: Moment): void {
  const { t, what } = moment;
  const kind = kindOf(what);
  if (what === 'service.notReady') {
    if (isOver(lane.outages)) lane.outages.push(begun(t, moment));
  } else if (what === 'service.ready') {
    if (!recover(lane, moment)) lane.foundReadyAt ??= t;
  } else if (what === 'window.opened') {
    recover(lane, moment);
    end(lane.windows, t);
    lane.windows.push(begun(t, moment));
    lane.window = moment.window;
  } else if (what === 'window.closed') {
    // A window that was replaced closes after the next one has opened.
    if (lane.window !== undefined && moment.window !== lane.window) return;
    if (lane.windows.length === 0) lane.windows.push({ ...begun(t, moment), hasBegunBefore: true });
    end(lane.windows, t);
  } else if (hasMark(kind)) lane.marks.push({ kind, moment });
}

/** Returns false if there was no outage. */
function recover(lane: OpenLane, moment: Moment): boolean {
  if (!end(lane.outages, moment.t)) return false;
  lane.marks.push({ kind: 'recovery', moment });
  return true;
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

function begun(t: number, moment?: Moment): OpenSpan {
  return { from: t, to: undefined, hasBegunBefore: false, moment };
}
