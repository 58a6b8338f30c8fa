import { isDeepStrictEqual } from 'node:util';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { keyOf } from '@weeder/kube-runtime/objects';
import type { ServiceView } from '@weeder/live-page';
import { activeStates } from '../actors/actorStates.ts';
import type { ServiceStatus } from '../weeder/services/serviceStatus.ts';
import { descend, type Found, foundRoot, machineOf } from './actorTree.ts';
import type { PageSource } from './pageSource.ts';
import type { Pause } from './pageWork.ts';
import type { ActorSubscriptions } from './subscriptions.ts';
import type { WindowCounter, WindowCounters } from './windowCounters.ts';

/** A service as it was sent to the pages. */
export interface PolledService {
  readonly view: ServiceView;
  readonly json: string;
}

/** The changes since the last poll. `all`: by `namespace/service`. */
export interface Changes {
  readonly all: ReadonlyMap<string, PolledService>;
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Reads every service and the chosen actors with pauses, so that their number does not delay the controllers. `before`
 * is the result of the last poll.
 */
export async function pollServices(
  source: PageSource | undefined,
  tallies: WindowCounters,
  chosenActors: ActorSubscriptions,
  before: ReadonlyMap<string, PolledService>,
  pause: Pause,
): Promise<Changes> {
  const services = new Map<string, PolledService>();
  const endpoints = new Map<string, Found>();
  chosenActors.beginPoll();
  for (const actor of source?.actors() ?? []) {
    const root = foundRoot(actor);
    const key = root && serviceOf(root);
    if (root !== undefined) chosenActors.poll(root, descend);
    if (root !== undefined && key !== undefined) endpoints.set(key, root);
    await pause();
  }
  chosenActors.endPoll();
  const weeder = source?.shown('weeder');
  for (const status of weeder?.services() ?? []) {
    const key = keyOf(status.namespace, status.service);
    const crashLooping = weeder?.crashLooping(status.namespace, status.service) ?? 0;
    const view = serviceView(status, endpoints.get(key), crashLooping, tallies.of(key));
    const known = before.get(key);
    // An unchanged service stays the same object: new ones would fill the old generation of the heap with each poll.
    services.set(
      key,
      known !== undefined && isDeepStrictEqual(known.view, view) ? known : { view, json: JSON.stringify(view) },
    );
    await pause();
  }

  return {
    all: services,
    changed: [...services].filter(([key, service]) => before.get(key) !== service).map(([, { json }]) => json),
    removed: [...before.keys()].filter((key) => !services.has(key)),
  };
}

/** The service of an `endpoint` actor; undefined for the actors of other machines. */
function serviceOf(located: Found): string | undefined {
  if (machineOf(located) !== 'endpoint') return undefined;
  const context = objectOf(located.snapshot.context);
  const [namespace, service] = [textOf(context['namespace']), textOf(context['service'])];
  return namespace === undefined || service === undefined ? undefined : keyOf(namespace, service);
}

function windowOf({ number, openedAt, closesAt, because }: WindowCounter): NonNullable<ServiceView['window']> {
  return { number, openedAt, closesAt, ...(because === undefined ? {} : { because }) };
}

function serviceView(
  status: ServiceStatus,
  endpoint: Found | undefined,
  crashLooping: number,
  tally: WindowCounter | undefined,
): ServiceView {
  const { deleted = 0, retried = 0, skipped = 0, failed = 0, failure } = tally ?? {};
  return {
    ...status,
    actor: endpoint?.id,
    state: endpoint && activeStates(endpoint.snapshot.value).at(-1),
    window: tally?.isOpen ? windowOf(tally) : undefined,
    crashLooping,
    deleted,
    retried,
    skipped,
    failed,
    failure,
  };
}
