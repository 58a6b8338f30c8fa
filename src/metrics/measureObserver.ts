import type { Metrics } from './metrics.ts';

/** As much of the observer as is measured when somebody asks. */
interface ObserverMeasures {
  /** How many applications are in each state of their machine; a nested one by its outermost name. */
  readonly applications: Readonly<Record<string, number>>;
  /** The same of resources; of those that are not observed, by what is known of them. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Those that an application stays in; it passes through the others. */
const applicationStates = ['observing', 'paused', 'invalid', 'backingOff', 'deleting'] as const;
const resourceStates = [
  'inSync',
  'drifted',
  'missing',
  'terminating',
  'claimed',
  'typeMissing',
  'refused',
  'backingOff',
  'unverified',
] as const;
const passing = 'passing';

/** Brings up to date how the observer stands. Undefined: it is not at work in this process. */
export function measureObserver(metrics: Metrics, measured: ObserverMeasures | undefined): void {
  set(metrics.applications, applicationStates, measured?.applications ?? {});
  set(metrics.applicationResources, resourceStates, asInStatus(measured?.resources ?? {}));
}

/**
 * Where something of before is kept, the newest manifest is refused all the same; what waits for its kind is tried again
 * as the status says it.
 */
function asInStatus({ usingLastApplied = 0, kindUnavailable = 0, ...found }: Readonly<Record<string, number>>) {
  return {
    ...found,
    refused: (found['refused'] ?? 0) + usingLastApplied,
    backingOff: (found['backingOff'] ?? 0) + kindUnavailable,
  };
}

function set(gauge: Metrics['applications'], states: readonly string[], found: Readonly<Record<string, number>>): void {
  for (const state of states) gauge.set({ state }, found[state] ?? 0);
  const others = Object.entries(found).filter(([state]) => !states.includes(state));
  gauge.set(
    { state: passing },
    others.reduce((sum, [, number]) => sum + number, 0),
  );
}
