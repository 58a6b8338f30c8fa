import { apiPath } from '@weeder/kube-runtime/objects';
import { type Desired, unplanned, withAppliedPlan } from '../entries/desired.ts';
import { type ApplicationEntry, memoryOf, type ResourceEntry } from '../entries/entries.ts';
import { unread } from '../entries/live.ts';
import { recordPlan } from '../entries/transitions.ts';
import type { ApplyFailure } from '../objects/applyFailure.ts';
import { type Identity, identityKey, type Manifest } from '../objects/identity.ts';
import { withoutNulls } from '../objects/nulls.ts';
import { unknownNode } from '../objects/schemaNode.ts';
import { isAutoscaled, withoutReplicas } from '../ownership/replicas.ts';
import type { ResourcePlan, RestMapping, Target } from '../plan/resourceApi.ts';
import { effectFailed } from '../resource/failureEvents.ts';
import { fieldMaskFor, unusedEntries } from '../schema/fieldMaskFor.ts';
import { type ObserverSchema, readObserverSchema } from '../schema/readObserverSchema.ts';
import type { SchemaError } from '../schema/schemaErrors.ts';
import { whyNotAllowed, whyNothingIsAllowed } from '../spec/allowed.ts';
import { type Application, type ReportedError, reportedError, type UnresolvedManifest } from '../spec/application.ts';
import { repeatedKeys } from '../spec/repeatedKeys.ts';
import { findDuplicates, resolveNamespace } from '../spec/resolveNamespace.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import type { ResourceStreams } from '../streams/resourceStreams.ts';
import type { Resources } from '../streams/resources.ts';
import { type MappedManifest, resolveMappings } from './resolveMappings.ts';
import { replaceResources } from './resourceSet.ts';

/** The effects that planning needs. */
interface PlanEffects extends Pick<ObserverEffects, 'restMapper' | 'allow' | 'mayUseOwnRights' | 'hashManifest'> {
  readonly runtime: Pick<ObserverEffects['runtime'], 'clock'>;
  readonly streams: Pick<ResourceStreams, 'add'>;
  readonly resources: Pick<Resources, 'start' | 'remove'>;
}

/**
 * The result of planning. Each resource has a plan, an error, or a reason why its kind is unknown; or the signal has
 * aborted the planning.
 */
type Planned =
  | { readonly type: 'planned'; readonly errors: readonly ReportedError[] }
  | { readonly type: 'invalid'; readonly errors: readonly ReportedError[] }
  | { readonly type: 'failed'; readonly failure: ApplyFailure };

/** A manifest with its namespace resolved. */
interface ResolvedManifest extends MappedManifest {
  readonly manifest: Manifest;
}

/**
 * Gives each manifest an entry with all that is needed to apply it. Existing entries keep their state. After `signal`
 * aborts, nothing is changed, because another call may plan a newer generation by then.
 */
export async function planResources(
  effects: PlanEffects,
  entry: ApplicationEntry,
  application: Application,
  signal: AbortSignal,
): Promise<Planned> {
  const { restMapper, runtime, allow } = effects;
  const nothing = whyNothingIsAllowed(allow(), application.namespace);
  if (nothing !== undefined) {
    return { type: 'invalid', errors: [{ of: 'spec', place: 'metadata.namespace', message: nothing }] };
  }
  const located = await resolveMappings(
    { kinds: restMapper, clock: runtime.clock },
    application.spec.manifests,
    signal,
  );
  if (signal.aborted) return { type: 'failed', failure: ended };
  const resolved = located.map((manifest): ResolvedManifest => {
    const isNamespaced = manifest.mapping?.isNamespaced ?? !isKnownWithoutNamespace(entry, manifest.unresolved);
    const topology = manifest.topology.ok ? manifest.topology.value : unknownNode;
    const unresolved = { ...manifest.unresolved, object: withoutNulls(manifest.unresolved.object, topology) };
    return { ...manifest, manifest: resolveNamespace(unresolved, application.namespace, isNamespaced) };
  });
  const duplicates = findDuplicates(
    resolved.map(({ unresolved: { index }, manifest: { identity } }) => ({ index, identity })),
  );
  if (duplicates.length > 0) return { type: 'invalid', errors: duplicates.map(reportedError) };
  const schema = readObserverSchema(application.spec.schema);
  const unused = unusedEntries(
    schema,
    resolved.map(({ manifest }) => manifest),
  );
  const errors = [...schema.errors, ...unused].map(shownSchemaError);
  const planned = new Map<string, ResourceEntry>();
  for (const resolvedManifest of resolved) {
    const resource = effects.resources.start(...entryOf(entry, resolvedManifest));
    const desired = planOf(effects, resource, resolvedManifest, { application, schema, all: resolved, errors });
    recordPlan(resource, desired);
    // Its machine does not find this out while the application is applied.
    if (desired.fieldError === '' && !resolvedManifest.topology.ok)
      resource.actor.send({ type: 'apply.tried', result: effectFailed(resolvedManifest.topology.failure) });
    planned.set(resource.key, resource);
  }
  replaceResources(effects, entry, planned);
  return { type: 'planned', errors };
}

const ended: ApplyFailure = { type: 'cancelled', reason: 'It is another one by now.', retryAfter: 0, fields: [] };

/** Returns an error of the observer schema in the form of the condition. */
function shownSchemaError({ where, message, hint }: SchemaError): ReportedError {
  return { of: 'schema', place: where, message: `${message}. ${hint}` };
}

interface About {
  readonly application: Application;
  readonly schema: ObserverSchema;
  readonly all: readonly ResolvedManifest[];
  /** Errors that are found here are added. */
  readonly errors: ReportedError[];
}

/**
 * If discovery does not know the kind, the inventory says whether it is namespaced, provided that it was applied
 * before. Under another identity the resource would seem to be removed from the manifests.
 */
function isKnownWithoutNamespace(entry: ApplicationEntry, { group, kind, name }: UnresolvedManifest): boolean {
  const key = identityKey({ group, kind, namespace: '', name });
  return entry.resources.has(key) || entry.pendingRemovals.has(key);
}

/** Synchronous, so that a concurrent apply sees either the previous plan or this one. */
function planOf(
  { allow, mayUseOwnRights, hashManifest }: PlanEffects,
  resource: ResourceEntry,
  { mapping, topology, manifest, unresolved }: ResolvedManifest,
  { application, schema, all: resolved, errors }: About,
): Desired {
  const before = withAppliedPlan(resource.desired, memoryOf(resource.actor).appliedHash);
  const without = unplanned(unresolved, before);
  const message = whyNotAllowed(allow(), application.namespace, manifest.identity);
  if (message !== undefined) {
    const error = { of: 'manifest', place: `spec.manifests[${unresolved.index}]`, message } as const;
    errors.push(error);
    return { ...without, fieldError: `${error.place}: ${message}.` };
  }
  const read = fieldMaskFor(manifest, schema);
  if (!read.ok) {
    const fieldErrors = read.error.map(({ where, message, hint }) => `${where} ${message}. ${hint}`);
    return { ...without, fieldError: fieldErrors.join(' ') };
  }
  if (mapping === undefined || !topology.ok) return without;
  const repeated = repeatedKeys(manifest.object, unresolved.index, topology.value).map(reportedError);
  reportAll(errors, repeated);
  if (repeated.length > 0)
    return { ...without, fieldError: repeated.map(({ place, message }) => `${place}: ${message}.`).join(' ') };
  const manifests = resolved.map((each) => each.manifest);
  const isScaled = isAutoscaled(manifest.identity, manifests);
  const scaled = withoutReplicas(read.value, manifest.object);
  const mask = isScaled || before.scaledBy !== undefined ? scaled : read.value;
  const hash = hashManifest(manifest, mask);
  /** The schema of the kind may have changed since then. */
  const described = (its: ResourcePlan): ResourcePlan => ({ ...its, topology: topology.value });
  const applied = before.appliedPlan;
  const appliedPlan = applied?.target.apiVersion === manifest.apiVersion ? described(applied) : applied;
  const plan: ResourcePlan = {
    target: targetOf(mapping, manifest.identity, accountOf(application, mayUseOwnRights)),
    manifest,
    mask,
    topology: topology.value,
    owner: resource.application.owner,
    hash,
    mayRecreate: application.spec.recreate.has(`${manifest.identity.kind}/${manifest.identity.name}`),
    ...(appliedPlan === undefined ? {} : { previous: { manifest: appliedPlan.manifest, mask: appliedPlan.mask } }),
  };
  const lastKnownGood = before.plan?.hash === hash ? before.lastKnownGood : undefined;
  return {
    ...without,
    isAutoscaled: isScaled,
    lastKnownGood: lastKnownGood && { ...lastKnownGood, plan: described(lastKnownGood.plan) },
    appliedPlan,
    plan,
    planIfScaled: scaled === mask ? undefined : { ...plan, mask: scaled, hash: hashManifest(manifest, scaled) },
  };
}

function reportAll(errors: ReportedError[], more: readonly ReportedError[]): void {
  for (const error of more) errors.push(error);
}

/** Returns where a resource of a known kind is found. */
export function targetOf(kind: RestMapping, identity: Identity, account: string | undefined): Target {
  const { group, version, plural } = kind;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const namespace = identity.namespace || undefined;
  const collection = apiPath(apiVersion, plural, { namespace });
  return {
    identity,
    apiVersion,
    collection,
    path: apiPath(apiVersion, plural, { namespace, name: identity.name }),
    account,
  };
}

/**
 * Returns the ServiceAccount that applies the resources. It never has more permissions than the author of the
 * application.
 */
export function accountOf({ namespace, spec }: Application, mayUseOwnRights: boolean): string | undefined {
  if (spec.serviceAccountName === undefined && mayUseOwnRights) return undefined;
  return `system:serviceaccount:${namespace}:${spec.serviceAccountName ?? 'default'}`;
}

function entryOf(
  application: ApplicationEntry,
  { manifest, unresolved }: ResolvedManifest,
): Parameters<Resources['start']> {
  const { identity } = manifest;
  const key = identityKey(identity);
  const row = application.pendingRemovals.get(key);
  const memory = { appliedHash: row?.hash, appliedUid: row?.appliedUid, ...(row && { state: row.state }) };
  return [
    application.resources.get(key) ?? {
      application,
      key,
      identity,
      desired: unplanned(unresolved),
      live: unread(row?.initialised ?? new Map()),
      proof: undefined,
      wait: undefined,
      writing: undefined,
    },
    memory,
  ];
}
