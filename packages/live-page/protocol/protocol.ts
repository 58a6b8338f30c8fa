import type { ActorView } from './actorView.ts';
import type { Moment } from './moment.ts';
import type { ProcessView } from './overviewView.ts';

/**
 * The messages to the live page, as server-sent events. The name of the event is the `type` of the message, and its data
 * is the message as JSON. Times are epoch milliseconds by weeder's clock, or in a replay by that of the recording.
 */
export type PageMessage =
  /** The first message of every connection. `speed`: the speed of a demo as a multiple of real time. */
  | {
      readonly type: 'hello';
      readonly version: string;
      readonly mode: 'live' | 'replay';
      readonly now: number;
      readonly speed?: number;
      /** A dry run: pods that would be deleted count as deleted. */
      readonly isDryRun?: true;
    }
  /** The heartbeat, every two seconds, with the current time. */
  | { readonly type: 'beat'; readonly now: number }
  /** With leader election only: at the start, and with each change. */
  | ({ readonly type: 'leadership' } & LeadershipView)
  /** At the start, and with each change. Not in a replay. */
  | { readonly type: 'process'; readonly process: ProcessView }
  /** All services: at the start, and instead of too many single changes. */
  | { readonly type: 'services'; readonly services: readonly ServiceView[] }
  | { readonly type: 'service'; readonly service: ServiceView }
  | { readonly type: 'serviceRemoved'; readonly namespace: string; readonly service: string }
  /**
   * At the start, and after messages were dropped for a slow browser: the last hour, or in a replay the whole recording,
   * oldest first. Older moments that began something that has not ended come first.
   */
  | { readonly type: 'history'; readonly moments: readonly Moment[] }
  /** Something has happened now. In a replay it is in the history already. */
  | { readonly type: 'moment'; readonly moment: Moment }
  /**
   * The actor that the connection has chosen, at the start and with each transition: `/events?actor=ID`, or
   * `/events?actor=newest:MACHINE` for the newest actor of that machine.
   */
  | { readonly type: 'actor'; readonly actor: ActorView; readonly transition?: Transition }
  /** The actor does not exist, or has stopped. `id`: as in the request. */
  | { readonly type: 'actorStopped'; readonly id: string }
  /** Only in a replay: at the start, with each change, and as time passes. */
  | ({ readonly type: 'clock' } & ReplayClock);

/** Whether this replica leads. One that does not has no services, workloads, applications or actors of these. */
export interface LeadershipView {
  /** `electing`: the leader is unknown. */
  readonly state: 'electing' | 'standingBy' | 'leading';
  /** The replica that leads, as the Lease names it. Undefined: none does, or it is unknown. */
  readonly holder: string | undefined;
  /** Since when that replica leads, by its own clock. Undefined: unknown, or this one leads. */
  readonly heldSince?: number | undefined;
}

/** A watched service. */
export interface ServiceView {
  /** Empty: the config names the service, and no watched namespace has it. */
  readonly namespace: string;
  readonly service: string;
  readonly isReady: boolean;
  /** Whether it has an EndpointSlice. */
  readonly exists: boolean;
  /** Since when it is ready, down, or without an EndpointSlice. Undefined: it never had one. */
  readonly since: number | undefined;
  /** Undefined: it is ready, or has not been ready since weeder watches it. */
  readonly readyUntil: number | undefined;
  /** Whether weeder has watched it since it started. */
  readonly isFromStart: boolean;
  /** The id of its `endpoint` actor. Undefined: it was not ready while weeder watched it, or does not exist any more. */
  readonly actor: string | undefined;
  /** The state of that actor: `ready.windowOpen.settled` */
  readonly state: string | undefined;
  readonly window:
    | {
        readonly number: number;
        readonly openedAt: number;
        readonly closesAt: number;
        /** The evidence, if it is not in the EndpointSlices: `Deployment shop/web runs again` */
        readonly because?: string;
      }
    | undefined;
  /** The number of its dependants that crash-loop now, and the results of its newest window. */
  readonly crashLooping: number;
  readonly deleted: number;
  /** The objects whose controllers create their missing pods again, because the service is that of a webhook. */
  readonly retried: number;
  readonly skipped: number;
  readonly failed: number;
  /** The newest deletion in that window that the API server has refused, or that has failed. Undefined: none. */
  readonly failure: DeletionFailure | undefined;
}

export interface DeletionFailure {
  /** `namespace/name` */
  readonly pod: string;
  readonly reason: string;
  readonly at: number;
}

/** Which services a list shows: by their readiness, an open window, or dependants that crash-loop. */
export const serviceFilters = ['all', 'notReady', 'window', 'crashLooping'] as const;
export type ServiceFilter = (typeof serviceFilters)[number];

/** The services with their dependants: GET `/dependencies?search=…&namespace=…&show=all` returns a `DependencyList`. */
export interface DependencyList {
  /** The number of services, and how many of them match. */
  readonly total: number;
  readonly found: number;
  /** How many of all services each filter shows. */
  readonly counts: Readonly<Record<ServiceFilter, number>>;
  /** The namespaces of all services and dependants, in the order of their names. */
  readonly namespaces: readonly string[];
  /** The worst first, then in the order of their names; a part, if there are many. */
  readonly services: readonly DependencyView[];
  /** The dependants of these services, each once, in the order of the services. */
  readonly dependants: readonly DependantView[];
}

export interface DependencyView {
  readonly namespace: string;
  readonly service: string;
  readonly view: ServiceView;
  /** The ids of its dependants, those that crash-loop first, then in the order of their names; a part, if there are many. */
  readonly dependants: readonly string[];
  /** What says that they depend on it, in the order of their ids: `label`, `annotation`, `podSelectors[0] on line 4`; empty: unknown. */
  readonly sources: readonly string[];
  /** The number of its dependants that match. */
  readonly total: number;
}

export interface DependantView {
  /** The name with its namespaces. */
  readonly id: string;
  readonly by: 'configured' | 'declared';
  /** A podSelector, or a workload: `Deployment shop/web`. */
  readonly name: string;
  /** The id of the actor of the workload. Undefined: restart control does not manage it. */
  readonly actor: string | undefined;
  readonly namespaces: 'all' | readonly string[];
  /** The number of its pods that crash-loop now. */
  readonly crashLooping: number;
  /** The workloads of these pods, those with the most first; at most five. */
  readonly workloads: readonly string[];
}

/**
 * Who seems to depend on whom, as `weeder suggest` finds it: GET `/suggestions?search=…&namespace=…` returns a
 * `SuggestionList`.
 */
export interface SuggestionList {
  /** How many match. */
  readonly found: number;
  /** In the order of their names; a part, if there are many. */
  readonly suggestions: readonly SuggestionView[];
  /** Why there are none, or why some may be missing, in sentences. */
  readonly problems: readonly string[];
}

/** A dependency that neither the config nor the workload names. */
export interface SuggestionView {
  readonly namespace: string;
  readonly service: string;
  /** `Deployment shop/web` */
  readonly workload: string;
  readonly workloadNamespace: string;
  readonly confidence: 'high' | 'medium' | 'low';
  /** `env DB_HOST of container web: db, the whole value is the name of a Service` */
  readonly reason: string;
  /** What its pod template lacks to declare the service: `label weeder.dev/depends-on: db`. */
  readonly lacks: string;
}

/** The order of the tree (by name), by state, or the latest transition first. */
export const actorOrders = ['tree', 'state', 'newest'] as const;
export type ActorOrder = (typeof actorOrders)[number];

/** A page of actors: GET `/actors?search=…&machine=…&order=tree&offset=0&limit=100`. */
export interface ActorPage {
  /** The number of matching actors. */
  readonly total: number;
  readonly actors: readonly ActorView[];
  /** The machines that have an actor, also one that does not match. */
  readonly machines: readonly string[];
}

/** `from` and `to` are as in the attributes `data-from` and `data-to` of the picture's arrows and exits. */
export interface Transition {
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
}

export interface ReplayClock {
  readonly now: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly isPlaying: boolean;
  /** A multiple of the original speed. */
  readonly speed: number;
}

/** A command to a replay: POST `/replay` with this as JSON. A running weeder does not serve this path. */
export type ReplayCommand =
  | { readonly do: 'play' }
  | { readonly do: 'pause' }
  /** To the next event. */
  | { readonly do: 'step' }
  | { readonly do: 'speed'; readonly speed: number }
  /** To a time, forwards or backwards. */
  | { readonly do: 'seek'; readonly to: number };
