import type { ServiceReadiness } from './readiness.ts';

/** A service of the config that has never opened a window, and why it may never do so. */
export interface UnseenService {
  readonly service: string;
  /**
   * `absent`: no watched namespace has an EndpointSlice of it. `neverReady`: it has EndpointSlices, but was never
   * ready.
   */
  readonly is: 'absent' | 'neverReady';
}

/** Finds configured services that match nothing, because of a typing error or a wrong namespace. */
interface UnseenServices {
  note(service: ServiceReadiness): void;
  /** In the order of the config. */
  all(configured: Iterable<string>, existing: readonly ServiceReadiness[]): readonly UnseenService[];
}

export function createUnseenServices(): UnseenServices {
  const wasReady = new Set<string>();

  function note({ service, isReady }: ServiceReadiness): void {
    if (isReady) wasReady.add(service);
  }

  return {
    note,
    all(configured, existing) {
      existing.forEach(note);
      const found = new Set(existing.map(({ service }) => service));
      return [...configured].flatMap((service): UnseenService[] => {
        if (wasReady.has(service)) return found.has(service) ? [] : [{ service, is: 'absent' }];
        return [{ service, is: found.has(service) ? 'neverReady' : 'absent' }];
      });
    },
  };
}

/**
 * A message for a person, without a full stop: which services do not exist, and which were never ready. Empty if there
 * are none.
 */
export function describeUnseenServices(unseen: readonly UnseenService[]): string {
  const named = (which: UnseenService['is']) => unseen.flatMap(({ service, is }) => (is === which ? [service] : []));
  const [absent, neverReady] = [named('absent'), named('neverReady')];
  return [
    ...(absent.length === 0 ? [] : [`no watched namespace has an EndpointSlice of ${listed(absent)}`]),
    ...(neverReady.length === 0 ? [] : [`never ready so far: ${listed(neverReady)}`]),
  ].join('; ');
}

const maxNamed = 10;

function listed(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(', ')}${more}`;
}
