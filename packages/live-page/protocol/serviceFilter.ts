import type { ServiceFilter, ServiceView } from './protocol.ts';

/** The rank of a service of which nothing is to be said. */
const quiet = 5;

/** Whether a filter shows a service. */
export function isShown({ isReady, window, crashLooping }: ServiceView, filter: ServiceFilter): boolean {
  if (filter === 'all') return true;
  if (filter === 'notReady') return !isReady;
  return filter === 'window' ? window !== undefined : crashLooping > 0;
}

/** Whether a list that is cut shows it in any case. */
export function needsAttention(service: ServiceView): boolean {
  return serviceRank(service) < quiet;
}

/** The worst have the lowest rank: not ready, absent, failed deletions, dependants that crash-loop, an open window. */
export function serviceRank({ isReady, exists, failed, crashLooping, window }: ServiceView): number {
  if (!isReady) return exists ? 0 : 1;
  if (failed > 0) return 2;
  if (crashLooping > 0) return 3;
  return window === undefined ? quiet : quiet - 1;
}
