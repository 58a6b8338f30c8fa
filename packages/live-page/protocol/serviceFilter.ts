import type { Health } from './health.ts';
import type { ServiceFilter, ServiceView } from './protocol.ts';

/** It is ready, by its EndpointSlices or, if it has none, by a dependant that runs again. */
export function isUp({ isReady, window, state }: Pick<ServiceView, 'isReady' | 'window' | 'state'>): boolean {
  return isReady || (window !== undefined && state === 'notReady.assumedReady');
}

/** Whether a filter shows a service. */
export function isShown(service: ServiceView, filter: ServiceFilter): boolean {
  const { window, crashLooping } = service;
  if (filter === 'all') return true;
  if (filter === 'notReady') return !isUp(service);
  return filter === 'window' ? window !== undefined : crashLooping > 0;
}

/** What there is to say about a service, the worst first; `failed`: deletions in its newest window. */
const serviceConditions = ['notReady', 'absent', 'failed', 'crashLooping', 'window', 'calm'] as const;
type ServiceCondition = (typeof serviceConditions)[number];

function worstOf(service: ServiceView): ServiceCondition {
  const { exists, failed, failure, crashLooping, window } = service;
  if (!isUp(service)) return exists ? 'notReady' : 'absent';
  if (failed > 0 || failure !== undefined) return 'failed';
  if (crashLooping > 0) return 'crashLooping';
  return window === undefined ? 'calm' : 'window';
}

/** The rank of a service in a list: the worst have the lowest. */
export function serviceRank(service: ServiceView): number {
  return serviceConditions.indexOf(worstOf(service));
}

const byCondition: Readonly<Record<ServiceCondition, Health>> = {
  notReady: 'degraded',
  absent: 'degraded',
  failed: 'degraded',
  crashLooping: 'progressing',
  window: 'progressing',
  calm: 'healthy',
};

export function healthOfService(service: ServiceView): Health {
  return byCondition[worstOf(service)];
}
