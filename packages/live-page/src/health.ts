import type { ServiceView } from '../protocol/protocol.ts';

/** The value of `data-health`, from which the style sheet has the colour of a state. */
export type Health = 'healthy' | 'progressing' | 'degraded' | 'unknown';

export function healthOfService({ isReady, window }: ServiceView): Health {
  if (!isReady) return 'degraded';
  return window === undefined ? 'healthy' : 'progressing';
}

const healthy = /^(current|inSync|observing)$/;
const degraded = /^(backingOff|blocked|claimed|contested|drifted.*|invalid|missing|refused|stalled|typeMissing)$/;

/** `state`: of a workload, an Application or a resource. */
export function healthOfState(state: string): Health {
  if (healthy.test(state)) return 'healthy';
  return degraded.test(state) ? 'degraded' : 'progressing';
}
