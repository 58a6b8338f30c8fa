import type { PageRef } from './pageRef.ts';

/** An event of the timeline. */
export interface Moment {
  readonly t: number;
  /** The type of the event: `service.notReady`, `window.opened`, `pod.deleted`, … */
  readonly what: string;
  /** The event in words: `service is down`, `window opened`, `pod deleted`, … */
  readonly words: string;
  /** `namespace/service`, or the name of another object. */
  readonly about: string;
  /** The page of what it is about. Left out: it has none. */
  readonly page?: PageRef;
  readonly window?: number;
  /** `namespace/name` */
  readonly pod?: string;
  readonly detail: string;
  /** The back-off that the deletion of a pod saves; milliseconds. */
  readonly saved?: number;
  /** It only would happen: weeder changes nothing. */
  readonly isDryRun?: true;
}
