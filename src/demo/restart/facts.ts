import type { SourceRef, WorkloadRef } from '../../restart/refs.ts';
import type { Chapter } from './story.ts';

/** Somebody gave a workload another pod template. */
export interface Rollout {
  readonly workload: WorkloadRef;
  /** Whether he who watches the sources did; otherwise it is a release of the shop's own. */
  readonly isRestart: boolean;
}

/** What the shop's people do with a source; `keys` are those that have another value now. */
export interface SourceDeed {
  readonly type: 'source.changed' | 'source.deleted' | 'source.created';
  readonly source: SourceRef;
  readonly keys: readonly string[];
}

/** Something that happened in the shop. */
export type ShopFact =
  | { readonly type: 'chapter.began'; readonly number: number; readonly chapter: Chapter }
  | { readonly type: 'keeper.stopped' | 'keeper.started' }
  | { readonly type: 'image.changed'; readonly workload: string; readonly image: string }
  | ({ readonly type: 'rollout.began' } & Rollout)
  | SourceDeed;
