/**
 * The messages to the live page, as server-sent events: the event's name is the message's `type`, its data the message as
 * JSON. Times are epoch milliseconds by weeder's clock (by the recording's, in a replay).
 */
export type PageMessage =
  /** The first one of every connection. `speed`: how many times as fast as real time `now` goes on in a demo. */
  | {
      readonly type: 'hello';
      readonly version: string;
      readonly mode: 'live' | 'replay';
      readonly now: number;
      readonly speed?: number;
      /** Nothing is changed: what would be deleted is counted as deleted. */
      readonly isDryRun?: true;
    }
  /** Every two seconds: the connection lives, and this is the time. */
  | { readonly type: 'beat'; readonly now: number }
  /** All of them: at the start, and where single changes would be too many. */
  | { readonly type: 'services'; readonly services: readonly ServiceView[] }
  | { readonly type: 'service'; readonly service: ServiceView }
  | { readonly type: 'serviceGone'; readonly namespace: string; readonly service: string }
  /** At the start, and with each change. `words`: which services of the config are nowhere, or were never ready; or ''. */
  | { readonly type: 'unseenServices'; readonly words: string }
  /**
   * The last hour, in a replay all that was played, oldest first: at the start, and after messages had to be left out for a slow browser. In front of it
   * is what began before and lasts: the moments that opened it.
   */
  | { readonly type: 'history'; readonly moments: readonly Moment[] }
  | { readonly type: 'moment'; readonly moment: Moment }
  /**
   * The actor that the connection asked for, at the start and with each transition: `/events?actor=ID`, or
   * `/events?actor=newest:MACHINE` for whichever of that machine was started last.
   */
  | { readonly type: 'actor'; readonly actor: ActorView; readonly transition?: Transition }
  /** There is none, or it has ended. `id`: as it was asked for. */
  | { readonly type: 'actorGone'; readonly id: string }
  /** In a replay only: at the start, with each change, and as time goes on. */
  | ({ readonly type: 'clock' } & ReplayClock);

/** A service that was ready at least once. */
export interface ServiceView {
  readonly namespace: string;
  readonly service: string;
  /** The id of its `endpoint` actor. */
  readonly actor: string;
  /** `ready.windowOpen.settled` */
  readonly state: string;
  readonly isReady: boolean;
  readonly window: { readonly number: number; readonly openedAt: number; readonly closesAt: number } | undefined;
  /** Its dependants that crash-loop now, and what became of those of its newest window. */
  readonly crashLooping: number;
  readonly deleted: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Something that happened, for the timeline. */
export interface Moment {
  readonly t: number;
  /** The type of the event: `service.notReady`, `window.opened`, `pod.deleted`, … */
  readonly what: string;
  /** `namespace/service`, or what else it is about. */
  readonly about: string;
  readonly window?: number;
  /** `namespace/name` */
  readonly pod?: string;
  readonly detail: string;
}

/** As in the tree (by name), by what they are doing, or those first that have been in their state the shortest time. */
export const actorOrders = ['tree', 'state', 'newest'] as const;
export type ActorOrder = (typeof actorOrders)[number];

/**
 * An actor as the tree shows it: GET `/actors?search=…&machine=…&order=tree&offset=0&limit=100` answers an `ActorPage`.
 */
export interface ActorView {
  /** Unique among those that live. */
  readonly id: string;
  /** The name of its machine: `/machines/NAME.svg` is its picture. */
  readonly machine: string;
  readonly parent: string | undefined;
  /** The ids of its active states, as the picture's `data-state` has them, outermost first. */
  readonly states: readonly string[];
  readonly since: number;
  readonly waitsFor: readonly string[];
}

export interface ActorPage {
  /** How many there are that match. */
  readonly total: number;
  readonly actors: readonly ActorView[];
}

/** A workload that restart control manages: GET `/workloads` answers a `WorkloadList`. */
export interface WorkloadView {
  /** Also the id of its actor: `deployment/shop/web`. */
  readonly id: string;
  /** The innermost state of its machine. */
  readonly state: string;
  /** Why it waits, is held, or stands still; empty where the state says enough. */
  readonly reason: string;
  readonly since: number;
  /** When the state ends by itself; undefined: at no time that is known. */
  readonly until: number | undefined;
  /** `ConfigMap settings#key`, `Secret login` */
  readonly sources: readonly string[];
  readonly restartedAt: number | undefined;
  /** What the last restart was for. */
  readonly cause: string;
}

export interface WorkloadList {
  readonly workloads: readonly WorkloadView[];
}

/**
 * An application of the application observer: GET `/applications?search=…` answers an `ApplicationList`. Of a Secret
 * there is no value in it.
 */
export interface ApplicationView {
  /** `shop/web` */
  readonly id: string;
  /** The id of its actor. */
  readonly actor: string;
  /** The innermost state of its machine. */
  readonly state: string;
  readonly since: number;
  /** When the state ends by itself; undefined: at no time that is known. */
  readonly until: number | undefined;
  /** Nothing is applied: it is in mode `detect`, or weeder in a dry run. */
  readonly isDetectOnly: boolean;
  /** With their places. */
  readonly errors: readonly string[];
  /** How many there are; of many, those that are not in sync come first, and the rest is left out. */
  readonly total: number;
  readonly resources: readonly ResourceView[];
}

export interface ResourceView {
  /** `Deployment shop/web` */
  readonly id: string;
  /** The id of its actor; undefined: it is not observed now. */
  readonly actor: string | undefined;
  /** The innermost state of its machine, or what its status says. */
  readonly state: string;
  /** When the state ends by itself, such as a wait before the next correction. */
  readonly until: number | undefined;
  readonly reason: string;
  /** The field manager that changed what differs. */
  readonly conflictingManager: string | undefined;
  /** How many fields are observed; undefined: not known yet. */
  readonly observed: number | undefined;
  readonly drifts: readonly DriftView[];
  readonly moreDrifts: number;
  /** The newest first; `corrected` says how many are remembered. */
  readonly corrections: readonly CorrectionView[];
  readonly corrected: number;
}

/** Values are JSON, cut; undefined: absent, or of a Secret. */
export interface DriftView {
  readonly path: string;
  readonly is: 'changed' | 'missing' | 'excess' | 'duplicate';
  readonly desired?: string;
  readonly found?: string;
}

export interface CorrectionView {
  readonly at: number;
  readonly drifts: readonly DriftView[];
  readonly conflictingManager: string | undefined;
}

export interface ApplicationList {
  /** How many there are, and how many match. */
  readonly total: number;
  readonly found: number;
  readonly applications: readonly ApplicationView[];
}

/** As the picture's arrows have `data-from` and `data-to`. */
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
  /** How many times as fast as it was. */
  readonly speed: number;
}

/** A command to a replay: POST `/replay` with this as JSON. There is no such path in a running weeder. */
export type ReplayCommand =
  | { readonly do: 'play' }
  | { readonly do: 'pause' }
  /** To the next thing that happens. */
  | { readonly do: 'step' }
  | { readonly do: 'speed'; readonly speed: number }
  /** To a time, forwards or backwards. */
  | { readonly do: 'seek'; readonly to: number };
