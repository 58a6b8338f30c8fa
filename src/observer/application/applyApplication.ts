import { sleep } from '@weeder/kube-runtime/base';
import type { ApplicationEvent } from '../../../machines/observer/application.ts';
import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { inParallel, track } from '../../base/promises.ts';
import { needsApply } from '../entries/comparison.ts';
import type { Desired } from '../entries/desired.ts';
import { type ApplicationEntry, isObserved, type ResourceEntry } from '../entries/entries.ts';
import { isInSync } from '../entries/live.ts';
import { forgetRefusal } from '../entries/transitions.ts';
import { refusalOf } from '../objects/applyFailure.ts';
import { maxConcurrentRequests } from '../plan/resourceApi.ts';
import { applyOrCorrect } from '../resource/writeResource.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { slowMessage } from '../streams/requestSemaphore.ts';
import { checkServiceAccount, serviceAccountNotFound } from '../streams/serviceAccounts.ts';
import { definedKind, firstStage } from './order.ts';
import { prune } from './prune.ts';
import { planAgain } from './validateApplication.ts';

/** How long to wait for a newly defined kind to be served. Milliseconds. */
const establishedWithin = 5_000;
/** How often to check meanwhile whether the application has changed. Makes no request. Milliseconds. */
const outdatedPause = 250;

/**
 * Tries each resource once, stage by stage. A failure does not block other resources: the resource is retried while the
 * application is observed. The inventory is written to the status before the first apply, so every applied object can
 * be pruned. Nothing is applied if the ServiceAccount does not exist.
 */
export async function applyApplication(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  signal: AbortSignal,
): Promise<ApplicationEvent> {
  const done: ApplicationEvent = { type: 'apply.done' };
  if (entry.isDetectOnly) return done;
  const tried = new Set<ResourceEntry>();
  // A kind that is defined in this stage can change the plans of the next ones.
  for (let stage = nextOf(entry, tried); stage.length > 0; stage = nextOf(entry, tried)) {
    const refusal = tried.size === 0 ? await prepare(effects, entry) : undefined;
    if (refusal !== undefined) return refusal;
    await inParallel(stage, maxConcurrentRequests, async (next) => {
      if (signal.aborted || isOutdated(entry)) return;
      tried.add(next);
      // A new generation is applied, so an earlier refusal no longer counts.
      forgetRefusal(next, 'lastKnownGood');
      await attempt(effects, next, signal);
    });
    if (signal.aborted || isOutdated(entry)) return done;
    for (const desired of stage) await awaitDefinedKind(effects, desired, signal);
  }
  entry.accountError = '';
  if (!isOutdated(entry)) await prune(effects, entry, signal);
  return done;
}

/**
 * Applies one resource, and records the result. A slow request is not awaited. It continues while the resource is
 * observed, which finds its result.
 */
function attempt(effects: ObserverEffects, resource: ResourceEntry, signal: AbortSignal): Promise<void> {
  const { promise: isSlow, resolve } = Promise.withResolvers<void>();
  const tried = (result: ResourceEvent) => {
    if (!isObserved(resource)) resource.actor.send({ type: 'apply.tried', result });
  };
  const onSlow = () => {
    tried({ type: 'effect.failed', reason: slowMessage });
    resolve();
  };
  const writing = applyOrCorrect(effects, resource, signal, onSlow).then((event) =>
    tried(event.type === 'write.done' && isInSync(resource.live) ? { type: 'check.inSync' } : event),
  );
  track(resource.application.inFlight, writing);
  return Promise.race([writing, isSlow]);
}

/**
 * Checks the ServiceAccount, and writes the inventory before anything is applied. Returns undefined if applying may
 * begin.
 */
async function prepare(effects: ObserverEffects, entry: ApplicationEntry): Promise<ApplicationEvent | undefined> {
  const refused = await checkServiceAccount(effects, entry);
  if (refused === undefined) entry.accountError = '';
  else if (refused.failure === serviceAccountNotFound) entry.accountError = refused.reason;
  if (refused !== undefined) return { type: 'apply.failed', ...refused };
  const listed = await effects.status.write(entry);
  return listed.ok ? undefined : { type: 'apply.failed', ...refusalOf(listed.failure) };
}

/** The resources of the next stage; empty once all were tried. */
function nextOf({ resources }: ApplicationEntry, tried: ReadonlySet<ResourceEntry>): readonly ResourceEntry[] {
  return firstStage([...resources.values()].filter((each) => !tried.has(each) && needsApply(each)));
}

/** Returns true if the application has changed or is being deleted. The next attempt handles the rest. */
function isOutdated({ newest, valid }: ApplicationEntry): boolean {
  return newest.generation !== valid?.generation || newest.isTerminating !== valid.isTerminating;
}

/**
 * Waits until the kind that this resource defines is served, if another resource waits for that kind. Then plans again.
 */
async function awaitDefinedKind(
  effects: ObserverEffects,
  definition: ResourceEntry,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = effects.runtime;
  const { application, identity } = definition;
  const { plan } = definition.desired;
  const defined = plan === undefined ? undefined : definedKind(identity, plan.manifest.object);
  if (plan === undefined || defined === undefined) return;
  const isDefined = ({ manifest }: Desired) => manifest.group === defined.group && manifest.kind === defined.kind;
  const isWaiting = (each: Desired) => each.plan === undefined && each.fieldError === '' && isDefined(each);
  const awaited = [...application.resources.values()].find(({ desired }) => isWaiting(desired));
  if (awaited === undefined) return;
  effects.status.resourceChanged(application);
  const { apiVersion, kind } = awaited.desired.manifest;
  const stop = new AbortController();
  let isOver = false;
  const served = effects.restMapper.awaitServed(apiVersion, kind, stop.signal, true).finally(() => {
    isOver = true;
  });
  const deadline = clock.monotonic() + establishedWithin;
  while (!isOver && !signal.aborted && !isOutdated(application) && clock.monotonic() < deadline)
    await Promise.race([served, sleep(clock, outdatedPause)]);
  stop.abort();
  // A newly served kind can reveal further errors.
  if ((await served).ok && !signal.aborted) await planAgain(effects, application, signal);
}
