import type { Clock } from '@weeder/kube-runtime/base';
import type { Moment, ObjectPart, ObjectType, OverviewPart, ServiceView } from '@weeder/live-page';
import type { AnyActorRef } from 'xstate';
import type { ZodType } from 'zod';
import type { Config } from '../../config/config.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ControllerRecording } from '../../recording/file/controllerRecording.ts';
import type { IsExcluded, RecordedEvent } from '../../recording/file/lines.ts';
import type { Snapshot } from '../../recording/file/snapshot.ts';
import type { ControllerPlayer, Stage } from '../../replay/played/played.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import type { EventKind } from '../report/reportTable.ts';
import type { TraceEvents } from '../report/span.ts';

/**
 * What a controller contributes to the program. Its own code takes memory, and is loaded when it is needed; everything
 * else is small. `Shown`: what the metrics and the live page show of it. `Options`: what it is created with, beside its
 * context.
 */
export interface Contribution<Event, Shown, Options> {
  /** In log lines and messages. */
  readonly name: string;
  /** Its actor counts before it is loaded: zero for each of its machines. */
  readonly actorCounts: Readonly<Record<string, number>>;
  isConfigured(config: Config): boolean;
  /** Loads the controller. With a `recording`, all of its inputs and outputs are recorded. */
  load(recording: ControllerRecording | undefined): Promise<CreateController<Event, Shown, Options>>;
  /** Loads what runs it in a replay. */
  loadPlayer(): Promise<CreatePlayer<Event, Shown>>;
  readonly recorded: RecordedForm;
  countEvents(metrics: Metrics, clock: Pick<Clock, 'now'>): EventCounter<Event>;
  /** Loads what makes traces of the events of a manager. Left out: it has none. */
  loadTraces?(): Promise<() => TraceEvents<Event>>;
  /** Updates its gauges. Undefined: it does not run in this process. */
  measure(metrics: Metrics, shown: Shown | undefined): void;
  /** `t`: epoch milliseconds. Undefined: the live page does not show the event. */
  momentOf(event: Event, t: number): Moment | undefined;
  /** Its lists on the live page, by the path under which they are served. */
  readonly lists?: Readonly<Record<string, PageList<Shown>>>;
  readonly overview: OverviewContribution<Event, Shown>;
  /** What its objects' pages say. */
  readonly objects?: Readonly<Partial<Record<ObjectType, DescribeObject<Shown>>>>;
}

/** Its part of the overview on the live page. */
interface OverviewContribution<Event, Shown> {
  /** The lines of a config that turn it on. */
  readonly example: readonly string[];
  /** By the words for something done: the types of events that count (`pods deleted`), or the back-off that they save. */
  readonly did: Readonly<Record<string, DidTypes<TypeOf<Event>> | 'saved'>>;
  /** Loads the code that composes it. */
  part(shown: Shown, seen: Seen): Promise<OverviewPart>;
}

/** Types of one kind in the timeline. */
export type DidTypes<Type> = readonly [Type, ...Type[]];

type TypeOf<Event> = Event extends { readonly type: infer T } ? T : never;

/** What the live page knows beside the controllers. */
export interface Seen {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly since: Since;
  readonly services: Iterable<ServiceView>;
}

/** Returns what it says of the object with this id; undefined: it does not know it. It loads the code that composes it. */
type DescribeObject<Shown> = (shown: Shown, id: string, seen: SeenObject) => Promise<ObjectPart | undefined>;

/** What the live page knows of an object beside the controllers. */
export interface SeenObject extends Seen {
  /** Its newest events, oldest first. */
  readonly moments: readonly Moment[];
  /** Whether restart control manages the workload `Deployment shop/web`. */
  readonly isManaged: (workload: string) => boolean;
}

/** Returns a list as it is served. It loads the code that makes it. */
type PageList<Shown> = (shown: Shown | undefined, query: URLSearchParams, since: Since) => Promise<object>;

/** Since when an actor has been in its state; epoch milliseconds. */
export type Since = (actor: AnyActorRef) => number | undefined;

/** `report` is called with every event, in addition to the log and the Events. */
export type CreateController<Event, Shown, Options> = (
  context: ControllerContext,
  options: Options,
  report: (event: Event) => void,
) => Controller<Shown>;

export type CreatePlayer<Event, Shown> = (stage: Stage, report: (event: Event) => void) => ControllerPlayer<Shown>;

/** Its form in recordings. */
interface RecordedForm {
  /** By the type of an event or a request. */
  readonly eventKinds: Readonly<Record<string, EventKind>>;
  readonly response: ZodType;
  createSnapshot(): Snapshot;
  readonly isExcluded: IsExcluded;
  /** The object that an event is about, as messages name it: `Deployment shop/web`. */
  readonly objectOf: (event: RecordedEvent) => string;
}

export interface EventCounter<Event> {
  /** The listener for the events of the next manager. */
  next(): (event: Event) => void;
  /** Starts the series of these services at 0, so that their first increase is visible as one. */
  begin?(services: Iterable<string>): void;
}
