import { formatDuration } from '@weeder/kube-runtime/base';
import { objectText, partsOf } from '@weeder/kube-runtime/objects';
import { serviceStates } from '@weeder/live-page';
import { printable } from '../base/printable.ts';
import type { RefusedCreation } from '../weeder/owners/ownerIndex.ts';
import type { ClusterView } from './inspectCluster.ts';

/** Describes the webhooks without which no pod can be created, a text of several lines for each. */
export function explainWebhooks({ config: { podCreation }, weeder }: ClusterView): string[] {
  if (podCreation === undefined) return [];
  const { webhooks, watchDuration, whileNotReady } = podCreation;
  if (webhooks.size === 0) return ['no webhook is called for new pods with failurePolicy: Fail and a Service'];
  const settings = `window ${formatDuration(watchDuration)}, whileNotReady ${whileNotReady}`;
  const refused = Map.groupBy(refusedNow(weeder), ({ webhook }) => webhook);
  return [...webhooks]
    .sort(byName)
    .map(([name, services]) =>
      [
        `webhook ${printable(name)}  (${settings})`,
        ...[...services].sort().map((service) => `  ${service}: ${stateOf(service, weeder)}`),
        ...(refused.get(name) ?? []).map(lineOf).sort(),
      ].join('\n'),
    );
}

function refusedNow({ owners }: ClusterView['weeder']): readonly RefusedCreation[] {
  const refused: RefusedCreation[] = [];
  owners.subscribe((each) => refused.push(each))();
  return refused;
}

function stateOf(key: string, { slices }: ClusterView['weeder']): string {
  const { namespace, name } = partsOf(key);
  const known = slices.services().find((each) => each.namespace === namespace && each.service === name);
  if (known === undefined) return 'no EndpointSlice in a watched namespace';
  return serviceStates[known.isReady ? 'ready' : 'notReady'].words;
}

/** An Event does not show whether its object still lacks pods. */
function lineOf({ owner }: RefusedCreation): string {
  return `    ${printable(objectText(owner))}: it has refused its pods  → retried in a window if it still lacks pods`;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
