import { keyOf, partsOf } from '@weeder/kube-runtime/objects';
import { serviceStates, stateWithoutWindow } from '@weeder/live-page';
import type { ServiceReadiness } from './serviceRecords.ts';

/**
 * A watched service as the page, the log, `/readyz` and the metrics show it: from its readiness, or without one if no
 * EndpointSlice of it was seen. Times are epoch milliseconds.
 */
export interface ServiceStatus extends Pick<ServiceReadiness, 'service' | 'isReady' | 'exists' | 'readyUntil'> {
  /** Empty: the config names the service, and no watched namespace has it. */
  readonly namespace: string;
  /** Undefined: it was never seen. */
  readonly since: number | undefined;
  /** Whether weeder has watched it since it started. */
  readonly isFromStart: boolean;
}

interface WatchedServices {
  /** Of the services that were seen. */
  readonly known: Iterable<ServiceReadiness>;
  /** Those that pods declare: `namespace/name`. */
  readonly declared: Iterable<string>;
  /** The names in the config. */
  readonly names: Iterable<string>;
  /** Whether such a name stands for the service in this namespace. */
  readonly isNamed: (namespace: string, service: string) => boolean;
  readonly startedAt: number;
}

/** Every watched service once, by namespace and name, and each name of the config that is in no namespace. */
export function* serviceStatuses(watched: WatchedServices): Generator<ServiceStatus> {
  const { known, declared, names, isNamed, startedAt } = watched;
  const [seen, namesInNamespaces] = [new Set<string>(), new Set<string>()];
  for (const { firstSeen, isStarting, ...readiness } of known) {
    const { namespace, service } = readiness;
    seen.add(keyOf(namespace, service));
    if (isNamed(namespace, service)) namesInNamespaces.add(service);
    yield { ...readiness, isFromStart: firstSeen <= startedAt };
  }
  for (const key of declared) {
    const { namespace, name } = partsOf(key);
    if (!seen.has(key)) yield { namespace, service: name, ...neverSeen };
  }
  for (const service of names) if (!namesInNamespaces.has(service)) yield { namespace: '', service, ...neverSeen };
}

const neverSeen = { isReady: false, exists: false, since: undefined, readyUntil: undefined, isFromStart: true };

export const readinessStates = ['ready', 'notReady', 'absent'] as const;

export function readinessOf({
  isReady,
  exists,
}: Pick<ServiceStatus, 'isReady' | 'exists'>): (typeof readinessStates)[number] {
  if (isReady) return 'ready';
  return exists ? 'notReady' : 'absent';
}

/** Whether weeder has never seen it ready, so that its next readiness is not a recovery. */
export function isNeverReady({ isReady, readyUntil }: ServiceStatus): boolean {
  return !isReady && readyUntil === undefined;
}

/** A message for a person, without a full stop: which services are not ready, in the words of the page. Empty: none. */
export function describeServices(services: Iterable<ServiceStatus>): string {
  const groups = Map.groupBy(services, (service) => serviceStates[stateWithoutWindow(service)]);
  groups.delete(serviceStates.ready);
  return Object.values(serviceStates)
    .flatMap((state) => {
      const named = groups.get(state);
      return named === undefined
        ? []
        : [`${state.words.charAt(0).toLowerCase()}${state.words.slice(1)}: ${listed(named.map(nameOf))}`];
    })
    .join('; ');
}

function nameOf({ namespace, service }: ServiceStatus): string {
  return namespace === '' ? service : keyOf(namespace, service);
}

const maxNamed = 10;

function listed(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(', ')}${more}`;
}
