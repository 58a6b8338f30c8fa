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

const healthy = /^(current|inSync|observing)$/;
const degraded =
  /^(backingOff|blocked|claimed|contested|drifted.*|invalid|missing|refused|stalled|typeMissing|unverified|usingLastApplied)$/;

/** `state`: of a workload, an Application or a resource. */
export function healthOfState(state: string): Health {
  if (healthy.test(state)) return 'healthy';
  return degraded.test(state) ? 'degraded' : 'progressing';
}

/** The rank of a workload, an Application or a resource in a list: the worst have the lowest. */
export function stateRank({ state }: { readonly state: string }): number {
  return healths.indexOf(healthOfState(state));
}
