import { count } from './format.ts';
import type { MomentKind } from './momentKinds.ts';
import type { ObjectLine } from './objectView.ts';

/** What needs attention, what waits and what was done: GET `/overview` returns an `Overview`. Times: epoch milliseconds. */
export interface Overview {
  /** What needs attention, the worst first. */
  readonly problems: readonly ProblemGroup[];
  readonly waits: readonly OverviewGroup[];
  readonly did: Did;
  readonly controllers: readonly ControllerSummary[];
}

export interface OverviewGroup {
  /** The view that has all of them: `services`. */
  readonly view: string;
  readonly total: number;
  /** The worst first; a part, if there are many. */
  readonly lines: readonly ObjectLine[];
}

/**
 * How bad a problem is, the worst first: a service is down; weeder has failed; a restart is stopped; an object in the
 * cluster is not as it should be; what a user has written cannot be followed.
 */
export const severities = ['down', 'failed', 'stopped', 'different', 'invalid'] as const;
export type Severity = (typeof severities)[number];

export interface ProblemGroup extends OverviewGroup {
  readonly severity: Severity;
}

/** What a controller contributes. */
export interface OverviewPart {
  /** Everything at a glance: `260 of 300 services ready`. */
  readonly summary: string;
  /** Since when the summary has been true; undefined: not known. */
  readonly since: number | undefined;
  readonly problems: readonly ProblemGroup[];
  readonly waits: readonly OverviewGroup[];
}

/** What was done in the last hour, or since `from` if the history does not go back that far. */
export interface Did {
  readonly from: number;
  /** Nothing was changed. */
  readonly isDryRun: boolean;
  readonly counts: readonly DidCount[];
}

/** `pods deleted`, and how many. `kind`: that of these events in the timeline. */
export interface DidCount {
  readonly words: string;
  readonly kind: MomentKind;
  readonly count: number;
  /** The count is a time in milliseconds. */
  readonly isTime?: boolean;
}

export interface ControllerSummary {
  readonly name: string;
  /** `standby`: it is on, but another replica leads. */
  readonly state: 'on' | 'standby' | 'off';
  readonly summary: string;
  readonly since: number | undefined;
  /** The lines of a config that turn it on. */
  readonly example: readonly string[];
}

/** The process and its cluster, as the head of the page shows them. */
export interface ProcessView {
  /** The context of the kubeconfig, or the address of the API server; undefined: not reached yet. */
  readonly cluster: string | undefined;
  /** The version of the API server; undefined: it could not be read. */
  readonly version: string | undefined;
  /** The name of this replica, as in the Lease. */
  readonly identity: string;
  /** Those for which it acts, in words. */
  readonly namespaces: string;
  readonly config: ConfigView;
  /** The streams that cannot be read, each with its problem. */
  readonly streams: readonly StreamView[];
}

export interface ConfigView {
  /** The first digits of a hash of the config in force, with all defaults. */
  readonly hash: string;
  readonly appliedAt: number;
  /** The first error of the newest content of the file, which is not in force; undefined: it is. */
  readonly rejected: string | undefined;
}

export interface StreamView {
  readonly name: string;
  /** Why, and what to do: which permission to grant, for example. */
  readonly problem: string;
}

/** The maximum number of lines in a group. */
const maxLines = 40;

/** The group of these items, of which the worst are shown. `rankOf`: the worst have the lowest. */
export function overviewGroup<Item>(
  view: string,
  items: readonly Item[],
  order: (a: Item, b: Item) => number,
  lineOf: (item: Item) => ObjectLine,
): OverviewGroup {
  const lines = items.toSorted(order).slice(0, maxLines).map(lineOf);
  return { view, total: items.length, lines };
}

/** Everything of a kind at a glance: `40 Applications, 5 of them with a problem`. `noun`: in the singular. */
export function overviewSummary(none: string, noun: string, total: number, bad: number): string {
  if (total === 0) return none;
  return bad === 0 ? quantity(total, noun) : `${quantity(total, noun)}, ${count(bad)} of them with a problem`;
}

/** `300 services` */
export function quantity(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
