import type { SourceRef } from '../../restart/references/refs.ts';
import type { Rollout } from './rollout.ts';

/** An action on a source; `keys` are those with changed values. */
export interface SourceAction {
  readonly type: 'source.changed' | 'source.deleted' | 'source.created';
  readonly source: SourceRef;
  readonly keys: readonly string[];
}

/** An event in the shop. */
export type ShopEvent =
  | { readonly type: 'restarter.stopped' | 'restarter.started' }
  | { readonly type: 'image.changed'; readonly workload: string; readonly image: string }
  | ({ readonly type: 'rollout.began' } & Rollout)
  | SourceAction;
