import type {
  Contribution,
  CreateController,
  CreatePlayer,
  EventCounter,
} from '../controller/contribution/contribution.ts';
import type { Controller } from '../controller/controller.ts';
import type { TraceEvents } from '../controller/report/span.ts';
import { observerContribution } from '../observer/contribution/observerContribution.ts';
import type { ControllerRecording } from '../recording/file/controllerRecording.ts';
import type { Snapshot } from '../recording/file/snapshot.ts';
import type { ControllerPlayer } from '../replay/played/played.ts';
import { restartContribution } from '../restart/contribution/restartContribution.ts';
import { weederContribution } from '../weeder/contribution/weederContribution.ts';
import type { Code } from './code.ts';

/** The list of all controllers, by their names in recordings. Nothing else names more than one of them. */
const list = { weeder: weederContribution, restart: restartContribution, observer: observerContribution };

export type ControllerName = keyof typeof list;

type List = { readonly [K in ControllerName]: (typeof list)[K] };
export type Events = {
  readonly [K in ControllerName]: List[K] extends Contribution<infer E, infer _S, infer _O> ? E : never;
};
export type Shown = {
  readonly [K in ControllerName]: List[K] extends Contribution<infer _E, infer S, infer _O> ? S : never;
};
export type ControllerOptions = {
  readonly [K in ControllerName]: List[K] extends Contribution<infer _E, infer _S, infer O> ? O : never;
};

export const contributions: {
  readonly [K in ControllerName]: Contribution<Events[K], Shown[K], ControllerOptions[K]>;
} = list;

/** An event of any of the controllers. */
export type ControllerEvent = Events[ControllerName];

/** Called with every event of every controller. */
export type Report = <K extends ControllerName>(of: K, event: Events[K]) => void;

/** What the live page and the metrics show of a controller. Undefined: it does not run. */
export type ShownOf = <K extends ControllerName>(of: K) => Shown[K] | undefined;

/** The controllers of a process. A demo has only those that it shows. */
export type ProcessControllers = { readonly [K in ControllerName]?: Controller<Shown[K]> };

/** What is made of each controller. */
interface Made<K extends ControllerName> {
  readonly name: K;
  readonly snapshot: Snapshot;
  readonly recording: ControllerRecording;
  readonly busy: Set<string>;
  readonly counter: EventCounter<Events[K]>;
  readonly report: (event: Events[K]) => void;
  readonly beginTraces: () => TraceEvents<Events[K]>;
  readonly traces: TraceEvents<Events[K]>;
  readonly code: Code<CreateController<Events[K], Shown[K], ControllerOptions[K]>>;
  readonly controller: Controller<Shown[K]>;
  readonly createPlayer: CreatePlayer<Events[K], Shown[K]>;
  readonly player: ControllerPlayer<Shown[K]>;
}

/** Makes one for each controller. */
export function makeEach<What extends keyof Made<ControllerName>>(
  make: <K extends ControllerName>(of: K) => Made<K>[What],
): { readonly [K in ControllerName]: Made<K>[What] } {
  return { weeder: make('weeder'), restart: make('restart'), observer: make('observer') };
}

/** Loads one for each controller. */
export async function loadEach<What extends keyof Made<ControllerName>>(
  load: <K extends ControllerName>(of: K) => Promise<Made<K>[What]>,
): Promise<{ readonly [K in ControllerName]: Made<K>[What] }> {
  const [weeder, restart, observer] = await Promise.all([load('weeder'), load('restart'), load('observer')]);
  return { weeder, restart, observer };
}

export const controllerNames: readonly ControllerName[] = Object.values(makeEach<'name'>((of) => of));
