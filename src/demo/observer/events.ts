import type { ObserverEvent } from '../../observer/model/events.ts';
import type { Chapter } from './story.ts';

/** An event in the cluster of the demo. */
export type SiteEvent =
  | { readonly type: 'chapter.began'; readonly number: number; readonly chapter: Chapter }
  /** A client acted; `what` describes the action. */
  | { readonly type: 'action'; readonly who: 'kubectl' | 'bot'; readonly what: string; readonly isHarmful: boolean };

/** The events of the timeline. */
export type StoryEvent = SiteEvent | ObserverEvent;
