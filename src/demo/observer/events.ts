import type { ObserverEvent } from '../../observer/objects/events.ts';

/** An event in the cluster of the demo. */
export interface SiteEvent {
  readonly type: 'action';
  readonly who: 'kubectl' | 'bot';
  /** Describes the action of this client. */
  readonly what: string;
  readonly isHarmful: boolean;
}

/** The events of the timeline. */
export type StoryEvent = SiteEvent | ObserverEvent;
