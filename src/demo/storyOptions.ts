import type { Clock } from '@weeder/kube-runtime/base';
import type { Logger } from '../base/log.ts';
import type { Viewer } from './viewer.ts';

/** How a story in chapters is shown. */
export interface StoryOptions<StoryEvent, Outcome> {
  /** The clock of the cluster and of weeder. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly seed: number;
  /** Shows weeder on the live page. */
  readonly viewer?: Viewer;
  /** Called with every event; `time` is milliseconds since the beginning of the story. */
  readonly onEvent: (time: number, event: StoryEvent) => void;
  /** Called when a chapter begins; `number` counts from 1. */
  readonly onChapter: (number: number, title: string) => void;
  /** Called when the story begins. */
  readonly onBegin: (course: StoryProgress) => void;
  /** Called with the outcome. weeder and the cluster run until the promise resolves. */
  readonly onEnd: (outcome: Outcome) => Promise<void>;
}

/** The progress of the story. */
export interface StoryProgress {
  /** Milliseconds since its beginning. */
  time(): number;
  /** The share of its chapters that have begun, from 0 to 1. */
  done(): number;
  /** The number of managed objects in each state of their machine; empty while weeder is stopped. */
  states(): Readonly<Record<string, number>>;
}
