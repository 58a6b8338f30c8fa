import type { ApplicationEvent } from '../../../machines/observer/application.ts';
import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import type { InternalEvent } from '../oracle/decisions.ts';

/** A transition of one of the observer's machines that no replay covers. */
export interface RareObserverTransition<E> {
  readonly name: string;
  readonly why: string;
  /** The state afterwards, if it is not the target because an action has raised an event. */
  readonly state?: string;
  /** The last of these events triggers the transition. */
  readonly events: readonly (E | InternalEvent)[];
}

const throwsOnlyOnBug = 'this effect turns failures into events, and throws only because of a bug in weeder';
const immediateResponses = 'it happens between two responses of the API server, which are immediate in a replay';

const valid: ApplicationEvent = { type: 'spec.valid' };
const changed: ApplicationEvent = { type: 'application.changed' };
const observing: readonly ApplicationEvent[] = [valid, { type: 'apply.done' }];
const ending: ApplicationEvent = { type: 'spec.terminating' };

type OfApplication = RareObserverTransition<ApplicationEvent>;

/** Each transition with the events that lead to it; test/machines/observerMachineRare.test.ts executes them. */
export const rareOfApplication: readonly OfApplication[] = [
  brokenApplication('validating', 'validate', []),
  {
    name: 'application.validating -- spec.failed -> application.backingOff',
    why: 'in a replay the finalizer of an application is never refused',
    events: [{ type: 'spec.failed', failure: 'transient', reason: 'unavailable' }],
  },
  brokenApplication('applying', 'applyResources', [valid]),
  brokenApplication('observing', 'observer', observing),
  {
    name: 'application.stopping -- application.changed -> (stays)',
    why: immediateResponses,
    events: [...observing, changed, changed],
  },
  brokenApplication('stopping', 'drain', [...observing, changed]),
  {
    name: 'application.deleting.attempting -- application.changed -> (stays)',
    why: immediateResponses,
    events: [ending, changed],
  },
  {
    name: 'application.deleting.attempting -- deletion.done -> application.deleted',
    why: 'in a replay the stream delivers the deletion of the application before the last response',
    events: [ending, { type: 'deletion.done' }],
  },
  {
    name: 'application.deleting.attempting -- deletion.pending [hasChanged] -> application.deleting.attempting',
    why: immediateResponses,
    events: [ending, changed, { type: 'deletion.pending' }],
  },
  {
    name: 'application.deleting.attempting -- deletion.failed [hasChanged] -> application.deleting.attempting',
    why: immediateResponses,
    events: [ending, changed, { type: 'deletion.failed', failure: 'blocked', reason: 'not deleted' }],
  },
  {
    name: 'application.deleting.attempting -- xstate.error.actor.deleteResources -> application.deleting.waiting',
    why: throwsOnlyOnBug,
    events: [ending, { type: 'xstate.error.actor.deleteResources', actorId: 'deleteResources' }],
  },
];

function brokenApplication(state: string, actor: string, events: OfApplication['events']): OfApplication {
  const type = `xstate.error.actor.${actor}` as const;
  const name = `application.${state} -- ${type} -> application.backingOff`;
  return { name, why: throwsOnlyOnBug, events: [...events, { type, actorId: actor }] };
}

const observed: ResourceEvent = { type: 'observation.started' };
const drifted: ResourceEvent = { type: 'check.drifted' };
const missing: ResourceEvent = { type: 'check.missing' };
const kindUnavailable: ResourceEvent = {
  type: 'effect.kindUnavailable',
  failure: 'transient',
  reason: 'its group is unavailable',
};
const typeMissing: ResourceEvent = { type: 'effect.typeMissing', reason: 'the kind does not exist' };
const failed: ResourceEvent = { type: 'effect.failed', failure: 'transient', reason: 'unavailable' };

type OfResource = RareObserverTransition<ResourceEvent>;

export const rareOfResource: readonly OfResource[] = [
  brokenResource('checking', 'check', [observed]),
  brokenResource('correcting', 'correct', [observed, drifted]),
  {
    name: 'resource.creating -- resync.due -> (stays)',
    why: 'the resync would have to be due while a request is in flight',
    events: [observed, missing, { type: 'resync.due' }],
  },
  brokenResource('creating', 'create', [observed, missing]),
  brokenResource('typeMissing', 'awaitKind', [observed, typeMissing]),
  {
    name: 'resource.kindUnavailable -- resync.due -> (stays)',
    why: 'a replay ends before a kind has been unavailable for that long',
    events: [observed, kindUnavailable, { type: 'resync.due' }],
  },
  brokenResource('kindUnavailable', 'awaitKind', [observed, kindUnavailable]),
  {
    name: 'resource.backingOff -- stream.resumed -> resource.checking',
    why: 'in a replay no stream is lost',
    events: [observed, failed, { type: 'stream.resumed' }],
  },
];

function brokenResource(state: string, actor: string, events: OfResource['events']): OfResource {
  const type = `xstate.error.actor.${actor}` as const;
  const name = `resource.${state} -- ${type} -> (stays)`;
  return { name, why: throwsOnlyOnBug, state: 'backingOff', events: [...events, { type, actorId: actor }] };
}
