import type { SourceRef } from '../../restart/model/refs.ts';
import type { Rollout } from './rollout.ts';

/** Something that happens to the shop, and what it should lead to. */
export interface ChapterText {
  /** What the timeline says above it. */
  readonly title: string;
  /** The same in the table. */
  readonly row: string;
  /** The workloads that have to be rolled out, once each; a release of the shop's own counts. */
  readonly needed: readonly string[];
  /** Which event weeder must report for which workloads. */
  readonly expected: {
    readonly type: `workload.${'adopted' | 'restarted' | 'skipped' | 'blocked'}`;
    readonly of: string[];
  };
}

/** What the shop's people do with a source; `keys` are those that have another value now. */
export interface SourceAction {
  readonly type: 'source.changed' | 'source.deleted' | 'source.created';
  readonly source: SourceRef;
  readonly keys: readonly string[];
}

/** Something that happened in the shop. */
export type ShopEvent =
  | { readonly type: 'chapter.began'; readonly number: number; readonly chapter: ChapterText }
  | { readonly type: 'restarter.stopped' | 'restarter.started' }
  | { readonly type: 'image.changed'; readonly workload: string; readonly image: string }
  | ({ readonly type: 'rollout.began' } & Rollout)
  | SourceAction;
