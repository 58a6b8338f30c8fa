import type { ServiceView } from '../../protocol/protocol.ts';
import { serviceRank } from '../../protocol/serviceFilter.ts';

export const sortKeys = ['name', 'state', 'window', 'crashLooping', 'deleted', 'skipped', 'failed'] as const;

export interface Order {
  readonly by: (typeof sortKeys)[number];
  readonly isDescending: boolean;
}

/** Services with equal keys are ordered by name, in both directions. */
export function sortBy({ by, isDescending }: Order): (a: ServiceView, b: ServiceView) => number {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [left, right] = [keyOf(a, by), keyOf(b, by)];
    if (left !== right) return left < right ? -sign : sign;
    const [first, second] = [keyOf(a, 'name'), keyOf(b, 'name')];
    if (first === second) return 0;
    return first < second ? -1 : 1;
  };
}

function keyOf(service: ServiceView, by: Order['by']): string | number {
  if (by === 'name') return `${service.namespace}/${service.service}`;
  if (by === 'state') return serviceRank(service);
  if (by === 'window') return service.window?.closesAt ?? 0;
  return service[by];
}
