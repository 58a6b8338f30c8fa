import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { ReportObserver } from '../observer/model/events.ts';
import type { ApplicationEntry } from '../observer/state/entries.ts';
import type { Manager, ManagerOptions } from '../process/manager.ts';
import type { WorkloadEntry } from '../restart/effects/workloadEntry.ts';
import type { ReportRestart } from '../restart/model/events.ts';

/** How a story in chapters is shown: `Fact` is what happens in it, `Outcome` how it ended. */
export interface StoryOptions<StoryEvent, Outcome> {
  /** In its time the story takes its course. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly seed: number;
  /** Shows weeder to whoever looks. */
  readonly viewer?: StoryViewer;
  /** Told of everything; `time` is milliseconds since the beginning of the story. */
  readonly onEvent: (time: number, event: StoryEvent) => void;
  /** Told that the story begins. */
  readonly onBegin: (course: StoryProgress) => void;
  /** Told how it ended; weeder and its cluster stay for as long as this takes. */
  readonly onEnd: (outcome: Outcome) => Promise<void>;
}

/** The story while it plays. */
export interface StoryProgress {
  /** Milliseconds since its beginning. */
  time(): number;
  /** From 0 to 1: how many of its chapters have begun. */
  done(): number;
  /** How much of what weeder manages is in which state of its machine; empty while it is away. */
  states(): Readonly<Record<string, number>>;
}

/** Looks at weeder, and at what it manages, while it works. */
export interface StoryViewer extends Pick<ManagerOptions, 'inspect' | 'reportProcess'> {
  readonly reportRestart: ReportRestart;
  readonly reportObserver: ReportObserver;
  watch(started: ViewedWeeder): void;
  /** The story begins after that. */
  readonly isReady: () => Promise<void>;
}

/** What a page looks at. */
export interface ViewedWeeder extends Manager {
  workloads?(): Iterable<WorkloadEntry>;
  applications?(): Iterable<ApplicationEntry>;
}
