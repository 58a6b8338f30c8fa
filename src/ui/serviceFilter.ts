import type { ServiceFilter, ServiceView } from './protocol.ts';

/** Whether a filter shows a service. `view`: undefined for one that was never ready. */
export function isShown(view: ServiceView | undefined, filter: ServiceFilter): boolean {
  if (filter === 'all') return true;
  if (view === undefined) return false;
  if (filter === 'notReady') return !view.isReady;
  return filter === 'window' ? view.window !== undefined : view.crashLooping > 0;
}
