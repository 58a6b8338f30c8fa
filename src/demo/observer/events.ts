import type { ObserverEvent } from '../../observer/model/events.ts';
import type { Chapter } from './story.ts';

/** Something that happened on the cluster of the demo. */
export type SiteEvent =
  | { readonly type: 'chapter.began'; readonly number: number; readonly chapter: Chapter }
  /** Somebody did something: who, and what in words. */
  | { readonly type: 'deed'; readonly who: 'kubectl' | 'bot'; readonly what: string; readonly isHarmful: boolean };

/** All that the timeline is made of. */
export type StoryEvent = SiteEvent | ObserverEvent;
