import { objectOf, textOf } from '../base/json.ts';
import { activeStates, type Found, machineOf, type PageSource } from './actorTree.ts';
import type { ServiceView } from './protocol.ts';
import type { Tally } from './tallies.ts';

/** The service of an `endpoint` actor; undefined for the actors of other machines. */
export function serviceOf(found: Found): { readonly namespace: string; readonly service: string } | undefined {
  if (machineOf(found) !== 'endpoint') return undefined;
  const context = objectOf(found.snapshot.context);
  const [namespace, service] = [textOf(context['namespace']), textOf(context['service'])];
  return namespace === undefined || service === undefined ? undefined : { namespace, service };
}

export function serviceView(
  source: Pick<PageSource, 'crashLooping'>,
  found: Found,
  { namespace, service }: { readonly namespace: string; readonly service: string },
  tally: Tally | undefined,
): ServiceView {
  const state = activeStates(found.snapshot.value).at(-1) ?? '';
  const { deleted = 0, kept = 0, givenUp = 0 } = tally ?? {};
  return {
    namespace,
    service,
    actor: found.id,
    state,
    isReady: state.startsWith('ready'),
    window: tally?.isOpen ? { number: tally.number, openedAt: tally.openedAt, closesAt: tally.closesAt } : undefined,
    crashLooping: source.crashLooping(namespace, service),
    deleted,
    kept,
    givenUp,
  };
}
