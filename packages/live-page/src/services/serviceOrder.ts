import type { ServiceView } from '../../protocol/protocol.ts';
import { serviceRank } from '../../protocol/serviceFilter.ts';
import { compareNames } from '../../protocol/worstFirst.ts';

export const sortKeys = ['name', 'state', 'window', 'crashLooping', 'deleted', 'retried', 'skipped', 'failed'] as const;

export interface Order {
  readonly by: (typeof sortKeys)[number];
  readonly isDescending: boolean;
}

/** As in the address: `-deleted` is descending. Any other text is the order by state. */
export function orderOf(text: string): Order {
  const by = sortKeys.find((key) => key === text.replace('-', '')) ?? 'state';
  return { by, isDescending: text.startsWith('-') };
}

export function orderText({ by, isDescending }: Order): string {
  return `${isDescending ? '-' : ''}${by}`;
}

/** Services with equal keys are ordered by name, in both directions. */
export function sortBy({ by, isDescending }: Order): (a: ServiceView, b: ServiceView) => number {
  const sign = isDescending ? -1 : 1;
  if (by === 'name') return (a, b) => sign * compareNames(nameOf(a), nameOf(b));
  return (a, b) => sign * (rankOf(a, by) - rankOf(b, by)) || compareNames(nameOf(a), nameOf(b));
}

function nameOf({ namespace, service }: ServiceView): string {
  return `${namespace}/${service}`;
}

function rankOf(service: ServiceView, by: Exclude<Order['by'], 'name'>): number {
  if (by === 'state') return serviceRank(service);
  if (by === 'window') return service.window?.closesAt ?? 0;
  return service[by];
}
