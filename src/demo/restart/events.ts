import type { SourceRef } from '../../restart/model/refs.ts';
import type { Rollout } from './rollout.ts';

/** The texts and the expected results of a chapter. */
export interface ChapterText {
  /** The heading in the timeline. */
  readonly title: string;
  /** The name of the row in the table. */
  readonly row: string;
  /** The workloads that need exactly one rollout each, including a release of the shop. */
  readonly needed: readonly string[];
  /** The event that weeder must report, and for which workloads. */
  readonly expected: {
    readonly type: `workload.${'adopted' | 'restarted' | 'skipped' | 'blocked'}`;
    readonly of: string[];
  };
}

/** An action on a source; `keys` are those with changed values. */
export interface SourceAction {
  readonly type: 'source.changed' | 'source.deleted' | 'source.created';
  readonly source: SourceRef;
  readonly keys: readonly string[];
}

/** An event in the shop. */
export type ShopEvent =
  | { readonly type: 'chapter.began'; readonly number: number; readonly chapter: ChapterText }
  | { readonly type: 'restarter.stopped' | 'restarter.started' }
  | { readonly type: 'image.changed'; readonly workload: string; readonly image: string }
  | ({ readonly type: 'rollout.began' } & Rollout)
  | SourceAction;
