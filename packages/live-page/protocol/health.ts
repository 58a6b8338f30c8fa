import type { ServiceView } from './protocol.ts';
import { type ServiceCondition, worstOf } from './serviceFilter.ts';

/** The values of `data-health`, from which the style sheet has the colour of a state, the worst first. */
const healths = ['degraded', 'unknown', 'progressing', 'healthy'] as const;
export type Health = (typeof healths)[number];

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

/** The rank in a list: the worst have the lowest. */
export function healthRank(health: Health): number {
  return healths.indexOf(health);
}
