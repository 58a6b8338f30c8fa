import { timeInSeconds } from '@weeder/kube-runtime/base';
import { keyOf, selectorToString } from '@weeder/kube-runtime/objects';
import { serviceStates } from '@weeder/live-page';
import { describeService, originOf } from '../config/describeSettings.ts';
import { scopeFrom } from '../config/scopes.ts';
import type { WatchedService } from '../config/serviceLookup.ts';
import { declaredScope } from '../weeder/declared/declaration.ts';
import type { WrittenEvent } from '../weeder/report/podReport.ts';
import { readinessOf } from '../weeder/services/serviceStatus.ts';
import type { ExplainedObject } from './explainedObject.ts';
import { dependantsIn } from './explainedServices.ts';
import type { ClusterView } from './inspectCluster.ts';

/** What was read of a service. */
interface InspectedService {
  readonly namespace: string;
  readonly name: string;
  readonly view: ClusterView;
  /** Of a Service of type ExternalName: the name that it stands for. */
  readonly externalName: string | undefined;
  /** Those of weeder about the Service, oldest first. */
  readonly events: readonly WrittenEvent[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Says whether the service is watched, is down or in a window, and who waits for it. */
export function explainServiceNamed(seen: InspectedService): ExplainedObject {
  const { namespace, name, view, externalName, events } = seen;
  const policy = view.services(namespace, name);
  const service = { kind: 'Service', namespace, name, ...(externalName === undefined ? {} : { externalName }) };
  if (policy === undefined) return { ...service, answer: unwatched, events };
  return {
    ...service,
    answer: sentence(seen, policy),
    settings: `${describeService(policy)} (${originOf(policy, name)})`,
    dependants: dependantsIn(namespace, name, policy, view),
    events,
  };
}

const unwatched = 'Not watched: no entry of the config names it, and no pod that counts declares it.';

function sentence(seen: InspectedService, policy: WatchedService): string {
  const { namespace, name, view } = seen;
  const known = view.weeder.slices.services().find((each) => each.namespace === namespace && each.service === name);
  const readiness = readinessOf(known ?? { isReady: false, exists: false });
  const opened = windowOf(seen, policy);
  const state = stateOf(readiness, opened !== undefined, policy);
  const since = opened === undefined ? '' : `, since ${timeInSeconds(opened)}`;
  return `${serviceStates[state].words}${since}; ${waiting(dependantsOf(seen, policy), readiness, opened !== undefined)}.`;
}

/** When the window opened that its Events say is open: epoch milliseconds. Undefined: none is, as far as they say. */
function windowOf({ events, now }: InspectedService, { watchDuration }: WatchedService): number | undefined {
  const last = events.findLast(({ reason }) => reason === 'WindowOpened' || reason === 'WindowClosed');
  return last?.reason === 'WindowOpened' && now < last.at + watchDuration ? last.at : undefined;
}

/** The state of its machine that the running weeder has, too. */
function stateOf(
  readiness: ReturnType<typeof readinessOf>,
  isOpen: boolean,
  { whileNotReady }: WatchedService,
): keyof typeof serviceStates {
  if (!isOpen) return readiness;
  if (readiness === 'ready') return 'ready.windowOpen';
  return whileNotReady === 'hold' ? 'notReady.holding' : 'notReady.windowOpen';
}

function dependantsOf({ namespace, name, view }: InspectedService, policy: WatchedService): number {
  const { dependantNamespaces, declaredIn, podSelectors } = policy;
  const selected = podSelectors.flatMap((selector) => [
    ...(view.weeder.pods.get(selectorToString(selector))?.podsIn(scopeFrom(dependantNamespaces, namespace)) ?? []),
  ]);
  const declared =
    declaredIn === 'none' ? [] : view.weeder.declaredPods.podsIn(declaredScope(keyOf(namespace, name), declaredIn));
  return new Set([...selected, ...declared].map(({ uid }) => uid)).size;
}

function waiting(count: number, readiness: ReturnType<typeof readinessOf>, isOpen: boolean): string {
  if (count === 0) return 'no dependant crash-loops';
  const who = count === 1 ? '1 dependant crash-loops' : `${count} dependants crash-loop`;
  if (isOpen) return who;
  return readiness === 'ready'
    ? `${who}, and weeder deletes them only while a window is open`
    : `${who}, and a window opens when it recovers`;
}
