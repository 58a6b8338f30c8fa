import { matchesSelector } from '@weeder/kube-runtime/objects';
import type { ServiceConfig } from '../../../src/config/config.ts';
import type { DeliveredPod, Entry, History } from '../recording/history.ts';
import { deliveredSlice, lastOf, readyAfter } from './oracleWindows.ts';

/** Whether deletions of a pod wait because a service on which it depends is down. */
type Held = 'surely' | 'perhaps' | 'no';

interface Outages {
  readonly home: string;
  readonly service: ServiceConfig;
  /** By place in the history. */
  readonly at: readonly Held[];
}

const outagesByHistory = new WeakMap<History, readonly Outages[]>();

/** Whether one of the services that select the pod was ready in this life of weeder, exists, and is not ready. */
export function heldAt(history: History, index: number, pod: DeliveredPod): Held {
  const outages = outagesByHistory.get(history) ?? outagesOf(history);
  outagesByHistory.set(history, outages);
  const certainties = outages.filter((each) => selects(each, pod)).map(({ at }) => at[index]);
  if (certainties.includes('surely')) return 'surely';
  return certainties.includes('perhaps') ? 'perhaps' : 'no';
}

function outagesOf({ entries, services }: History): Outages[] {
  const keys = new Set(entries.flatMap((entry) => (entry.what === 'slice' ? entry.service : [])));
  return [...keys].flatMap((key): Outages[] => {
    const [home = '', name = ''] = key.split('/');
    const service = services.find((each) => each.name === name);
    if (service === undefined || service.whileNotReady === 'delete') return [];
    if (service.namespaces !== 'all' && !service.namespaces.includes(home)) return [];
    const ready = entries.map((_, index) => readyAfter(entries, index, key));
    return [{ home, service, at: entries.map((_, index) => heldBy(entries, index, key, ready)) }];
  });
}

/** `perhaps`: it did not exist in between, so that weeder may have forgotten that it was ready. */
function heldBy(entries: readonly Entry[], index: number, key: string, ready: readonly (boolean | undefined)[]): Held {
  const life = lastOf(entries, index, ({ what }) => what === 'listing');
  const wasReady = ready.findLastIndex((each, at) => each === true && at > life && at < index);
  if (ready[index] !== false || wasReady === -1 || deliveredSlice(entries, index, key)?.exists !== true) return 'no';
  const isGone = (entry: Entry) => entry.what === 'slice' && entry.service === key && !entry.exists;
  return entries.slice(wasReady, index).some(isGone) ? 'perhaps' : 'surely';
}

function selects({ home, service }: Outages, { namespace, role }: DeliveredPod): boolean {
  const { dependantNamespaces: scope, podSelectors } = service;
  const isInScope = scope === 'all' || (scope === 'same' ? namespace === home : scope.includes(namespace));
  return isInScope && podSelectors.some((selector) => matchesSelector(selector, { role }));
}
