import { calm } from '../drift/driftPace.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { ResourceStreams } from '../effects/resourceStreams.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import { type Identity, identityKey, type Manifest } from '../model/identity.ts';
import { isAutoscaled, withoutReplicas } from '../ownership/scaleOwned.ts';
import type { Kind, ResourcePlan, Target } from '../plan/resourceApi.ts';
import type { SchemaFault } from '../schema/faults.ts';
import { type ObserverSchema, readObserverSchema } from '../schema/read.ts';
import { shapeFor, unusedEntries } from '../schema/shapeFor.ts';
import { whyNotAllowed, whyNothingIsAllowed } from '../spec/allowed.ts';
import { type Application, type ShownFault, shownFault, type UnplacedManifest } from '../spec/application.ts';
import { duplicatesAmong, placed } from '../spec/place.ts';
import { repeatedKeys } from '../spec/repeatedKeys.ts';
import type { ApplicationEntry, ResourceEntry } from '../state/entries.ts';
import { rememberApplied } from '../state/kept.ts';
import { leftRow } from '../state/rows.ts';
import { findKinds, type Located } from './findKinds.ts';

/** What planning needs of the world. */
interface PlanEffects extends Pick<ObserverEffects, 'kinds' | 'allow' | 'mayUseOwnRights' | 'hashManifest'> {
  readonly runtime: Pick<ObserverEffects['runtime'], 'clock'>;
  readonly streams: Pick<ResourceStreams, 'join' | 'leave'>;
}

/**
 * What became of planning: each resource has a plan, a fault, or a reason why nothing is known of its kind; or it was
 * ended by its signal.
 */
type Planned =
  | { readonly is: 'planned'; readonly faults: readonly ShownFault[] }
  | { readonly is: 'invalid'; readonly faults: readonly ShownFault[] }
  | { readonly is: 'failed'; readonly failure: ApplyFailure };

/** A manifest in its place. */
interface Placed extends Located {
  readonly manifest: Manifest;
}

/**
 * Gives each of the manifests an entry with what has to be known to apply it; those of before keep what is known. Once
 * `signal` ends it, it changes nothing more: by then another one may plan what the application says now.
 */
export async function planResources(
  effects: PlanEffects,
  entry: ApplicationEntry,
  application: Application,
  signal: AbortSignal,
): Promise<Planned> {
  const { kinds, runtime, allow } = effects;
  const nothing = whyNothingIsAllowed(allow(), application.namespace);
  if (nothing !== undefined) {
    return { is: 'invalid', faults: [{ of: 'spec', place: 'metadata.namespace', message: nothing }] };
  }
  const located = await findKinds({ kinds, clock: runtime.clock }, application.spec.manifests, signal);
  if (signal.aborted) return { is: 'failed', failure: ended };
  const all = located.map((each): Placed => {
    const isNamespaced = each.kind?.isNamespaced ?? !isKnownWithoutNamespace(entry, each.unplaced);
    return { ...each, manifest: placed(each.unplaced, application.namespace, isNamespaced) };
  });
  const duplicates = duplicatesAmong(
    all.map(({ unplaced: { index }, manifest: { identity } }) => ({ index, identity })),
  );
  if (duplicates.length > 0) return { is: 'invalid', faults: duplicates.map(shownFault) };
  const schema = readObserverSchema(application.spec.schema);
  const unused = unusedEntries(
    schema,
    all.map(({ manifest }) => manifest),
  );
  const faults = [...schema.faults, ...unused].map(shownSchemaFault);
  const planned = new Map<string, ResourceEntry>();
  for (const each of all) {
    const resource = entryOf(entry, each);
    plan(effects, resource, each, { application, schema, all, faults });
    planned.set(resource.key, resource);
  }
  replace(effects, entry, planned);
  return { is: 'planned', faults };
}

const ended: ApplyFailure = { is: 'cancelled', reason: 'It is another one by now.', retryAfter: 0, fields: [] };

/** A fault of the observer schema in the words of a condition. */
function shownSchemaFault({ where, sentence, advice }: SchemaFault): ShownFault {
  return { of: 'schema', place: where, message: `${sentence}. ${advice}` };
}

interface About {
  readonly application: Application;
  readonly schema: ObserverSchema;
  readonly all: readonly Placed[];
  /** Those that are found here are put to it. */
  readonly faults: ShownFault[];
}

/**
 * Of a kind that the cluster does not say, the inventory tells whether it lives in namespaces, where it was applied
 * before: under another identity it would seem to have left the manifests.
 */
function isKnownWithoutNamespace(entry: ApplicationEntry, { group, kind, name }: UnplacedManifest): boolean {
  const key = identityKey({ group, kind, namespace: '', name });
  return entry.resources.has(key) || entry.left.has(key);
}

/** Synchronous, so that whoever applies meanwhile sees either the plan of before or this one. */
function plan(
  { allow, mayUseOwnRights, hashManifest }: PlanEffects,
  resource: ResourceEntry,
  { kind, structure, manifest, unplaced }: Placed,
  { application, schema, all, faults }: About,
): void {
  rememberApplied(resource);
  const { plan: before, kept } = resource;
  resource.plan = undefined;
  resource.kept = undefined;
  resource.planIfScaled = undefined;
  resource.manifest = unplaced;
  const message = whyNotAllowed(allow(), application.namespace, manifest.identity);
  if (message !== undefined) {
    const fault = { of: 'manifest', place: `spec.manifests[${unplaced.index}]`, message } as const;
    faults.push(fault);
    resource.fault = `${fault.place}: ${message}.`;
    return;
  }
  const read = shapeFor(manifest, schema);
  resource.fault = read.ok
    ? ''
    : read.error.map(({ where, sentence, advice }) => `${where} ${sentence}. ${advice}`).join(' ');
  if (!read.ok) return;
  if (kind === undefined || !structure.ok) {
    if (!structure.ok) becomeUnplanned(resource, structure.failure);
    return;
  }
  const repeated = repeatedKeys(manifest.object, unplaced.index, structure.value).map(shownFault);
  faults.push(...repeated);
  resource.fault = repeated.map(({ place, message }) => `${place}: ${message}.`).join(' ');
  if (repeated.length > 0) return;
  const manifests = all.map((each) => each.manifest);
  resource.isAutoscaled = isAutoscaled(manifest.identity, manifests);
  const isScaled = resource.isAutoscaled || resource.scaledBy !== undefined;
  const shape = isScaled ? withoutReplicas(read.value, manifest.object) : read.value;
  const { spec } = application;
  const hash = hashManifest(manifest, shape);
  const isSame = before?.hash === hash;
  resource.kept = isSame ? kept : undefined;
  if (!isSame || !isWantedOf(resource, hash)) forgetWanted(resource);
  const { appliedPlan } = resource;
  resource.plan = {
    target: targetOf(kind, manifest.identity, accountOf(application, mayUseOwnRights)),
    manifest,
    shape,
    structure: structure.value,
    owner: resource.application.owner,
    hash,
    mayRecreate: spec.recreate.has(`${manifest.identity.kind}/${manifest.identity.name}`),
    ...(appliedPlan === undefined ? {} : { before: { manifest: appliedPlan.manifest, shape: appliedPlan.shape } }),
  } satisfies ResourcePlan;
  const scaled = withoutReplicas(shape, manifest.object);
  if (scaled !== shape)
    resource.planIfScaled = { ...resource.plan, shape: scaled, hash: hashManifest(manifest, scaled) };
}

/** The status says why before its machine does, which does not run while the application is applied. */
function becomeUnplanned(resource: ResourceEntry, { is, reason }: ApplyFailure): void {
  resource.state = is === 'typeMissing' ? 'typeMissing' : 'backingOff';
  resource.reason = reason;
}

/** Whether what it is compared with is what was made of this manifest, or of the one that is kept. */
function isWantedOf({ appliedHash, kept }: ResourceEntry, hash: string): boolean {
  return hash === appliedHash || kept !== undefined;
}

/** Where nothing is applied, nothing but this tells that something else is wanted now. */
function forgetWanted(resource: ResourceEntry): void {
  if (resource.application.isDetectOnly) resource.baseline = undefined;
}

/** Where a resource of a known kind is found. */
export function targetOf(kind: Kind, identity: Identity, account: string | undefined): Target {
  const { group, version, plural } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = identity.namespace === '' ? '' : `/namespaces/${encodeURIComponent(identity.namespace)}`;
  const collection = `${root}${place}/${plural}`;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { identity, apiVersion, collection, path: `${collection}/${encodeURIComponent(identity.name)}`, account };
}

/** In whose place a resource is applied: never with more than whoever made the application may do. */
export function accountOf({ namespace, spec }: Application, mayUseOwnRights: boolean): string | undefined {
  if (spec.serviceAccountName === undefined && mayUseOwnRights) return undefined;
  return `system:serviceaccount:${namespace}:${spec.serviceAccountName ?? 'default'}`;
}

function entryOf(application: ApplicationEntry, { manifest, unplaced }: Placed): ResourceEntry {
  const { identity } = manifest;
  const key = identityKey(identity);
  const row = application.left.get(key);
  return (
    application.resources.get(key) ?? {
      application,
      key,
      identity,
      manifest: unplaced,
      plan: undefined,
      fault: '',
      appliedPlan: undefined,
      appliedHash: row?.hash,
      appliedUid: row?.appliedUid,
      initialised: row?.initialised ?? new Map(),
      kept: undefined,
      abandonedLabel: undefined,
      baseline: undefined,
      found: 'unknown',
      writtenVersion: undefined,
      proof: undefined,
      drifts: [],
      driftedAt: undefined,
      rival: undefined,
      state: row?.state ?? 'pending',
      reason: '',
      pace: calm,
      corrections: [],
      admitted: [],
      scaledBy: undefined,
      planIfScaled: undefined,
      isAutoscaled: false,
      conflicts: 0,
      writing: undefined,
      actor: undefined,
    }
  );
}

/** Whatever was applied once and is not among the manifests any more has left; what came back has not. */
function replace({ streams }: PlanEffects, entry: ApplicationEntry, planned: Map<string, ResourceEntry>): void {
  for (const [key, resource] of entry.resources) {
    if (planned.has(key)) continue;
    entry.resources.delete(key);
    streams.leave(resource);
    // It may have been applied even where nothing says so: the answer was lost.
    if (resource.appliedHash !== undefined || !entry.isDetectOnly) entry.left.set(key, leftRow(resource));
  }
  for (const [key, resource] of planned) {
    entry.resources.set(key, resource);
    entry.left.delete(key);
    if (resource.plan !== undefined) streams.join(resource, resource.plan);
  }
}
