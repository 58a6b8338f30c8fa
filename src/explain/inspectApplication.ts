import type { Clock, JsonObject } from '@weeder/kube-runtime/base';
import { createActor } from 'xstate';
import { application as machine } from '../../machines/observer/application.ts';
import { type ResourceMemory, resource as resourceMachine } from '../../machines/observer/resource.ts';
import type { AllowedResources } from '../config/schema/allowedResources.ts';
import { accountOf, planResources } from '../observer/application/planResources.ts';
import { foreignOwnerOf, needsApply } from '../observer/entries/comparison.ts';
import { createEntry } from '../observer/entries/createEntry.ts';
import type { ApplicationEntry, ResourceEntry } from '../observer/entries/entries.ts';
import { type FieldReport, fieldReports } from '../observer/entries/fieldReports.ts';
import { createKeptObjects } from '../observer/entries/keptObjects.ts';
import { observeObject, recordStaleClaim } from '../observer/entries/transitions.ts';
import type { ApplyFailure } from '../observer/objects/applyFailure.ts';
import { identityKey } from '../observer/objects/identity.ts';
import type { ShownDrift } from '../observer/objects/shownDrifts.ts';
import { hashManifest } from '../observer/plan/manifestHash.ts';
import type { DryRun, Outcome, ResourceApi, ResourcePlan, RestMapper } from '../observer/plan/resourceApi.ts';
import { recordDryRunBaseline } from '../observer/resource/findBaseline.ts';
import { type Application, type ReportedError, reportedError } from '../observer/spec/application.ts';
import type { OwnershipClaims } from '../observer/streams/ownershipClaims.ts';

/** What was read about one resource of an application. */
export interface InspectedResource {
  /** Includes the drifts, where they can be determined. */
  readonly entry: ResourceEntry;
  /** The live object; undefined if it does not exist or could not be read. */
  readonly live: JsonObject | undefined;
  /** Why the resource cannot be compared; '' if it can be compared or does not exist. */
  readonly error: string;
  /** Why the dry run with the permissions of the account failed; '' if it succeeded. */
  readonly refusal: string;
  /** The fields that the manifest sets and the schema lists, by path. */
  readonly fields: readonly FieldReport[];
  /**
   * The differences from the manifest that was applied before the current one. They are taken from the status, because
   * only a running weeder knows them.
   */
  readonly before: readonly ShownDrift[];
}

/** An application, and its resources compared with the live objects. */
export interface InspectedApplication {
  readonly entry: ApplicationEntry;
  /** Undefined: weeder uses its own permissions. */
  readonly account: string | undefined;
  /** Errors of the spec, the manifests and the schema. */
  readonly errors: readonly ReportedError[];
  /** Why the manifests could not be inspected; '' if they could. */
  readonly error: string;
  /** In the order of the manifests. */
  readonly resources: readonly InspectedResource[];
}

interface InspectOptions {
  readonly clock: Clock;
  readonly kinds: RestMapper;
  readonly api: Pick<ResourceApi, 'read' | 'dryRunApply'>;
  /** The objects that the config allows in Applications. */
  readonly allow: AllowedResources;
  /** Default: every claim label is assumed to belong to an existing application. */
  readonly claims?: OwnershipClaims;
  readonly signal: AbortSignal;
}

/** The number of resources that are inspected concurrently. */
const concurrency = 8;

/** Compares each resource of an application as its observer would, by dry runs. Writes nothing. */
export async function inspectApplication(
  application: Application,
  status: unknown,
  options: InspectOptions,
): Promise<InspectedApplication> {
  const entry = entryOf(application, status);
  const account = accountOf(application, false);
  const errors = application.errors.map(reportedError);
  const nothing = { entry, account, errors, error: '', resources: [] };
  if (application.errors.some(({ manifest }) => manifest === undefined)) return nothing;
  const runtime = { clock: options.clock };
  const allow = () => options.allow;
  const effects = { runtime, restMapper: options.kinds, allow, mayUseOwnRights: false, hashManifest, ...entries };
  const planned = await planResources(effects, entry, application, options.signal);
  if (planned.type === 'failed') return { ...nothing, error: planned.failure.reason };
  if (planned.type === 'invalid') return { ...nothing, errors: [...errors, ...planned.errors] };
  const resources: InspectedResource[] = [];
  const resourceEntries = [...entry.resources.values()];
  for (let index = 0; index < resourceEntries.length; index += concurrency) {
    const some = resourceEntries.slice(index, index + concurrency);
    resources.push(
      ...(await Promise.all(some.map(async (each) => withBefore(await inspectResource(each, options), application)))),
    );
  }
  return { ...nothing, errors: [...errors, ...planned.errors], resources };
}

/** The actor of the application is never started: explain only inspects. */
function entryOf(application: Application, status: unknown): ApplicationEntry {
  const entry = createEntry(application, status, createActor(machine), createKeptObjects());
  return { ...entry, valid: application, isDetectOnly: application.spec.mode === 'detect' };
}

const entries = {
  streams: { add: () => undefined },
  resources: {
    /** Stays unobserved, so that nothing is checked or written. */
    start: (resource: Omit<ResourceEntry, 'actor'>, memory: Partial<ResourceMemory>): ResourceEntry => ({
      ...resource,
      actor: createActor(resourceMachine, { input: { memory } }).start(),
    }),
    remove: () => undefined,
  },
};

async function inspectResource(
  entry: ResourceEntry,
  { clock, api, claims, signal }: InspectOptions,
): Promise<InspectedResource> {
  const { plan } = entry.desired;
  const nothing: InspectedResource = { entry, live: undefined, error: '', refusal: '', fields: [], before: [] };
  if (plan === undefined) return nothing;
  const read = await api.read(plan.target, signal);
  if (!read.ok) return { ...nothing, error: `it cannot be read: ${read.failure.reason}` };
  const live = read.value;
  observeObject(entry, live, clock.monotonic());
  if (live === undefined) return nothing;
  if (foreignOwnerOf(entry) !== undefined && claims !== undefined)
    recordStaleClaim(entry, await claims.isStale(live), clock.monotonic());
  const { dryRun, refusal } = await dryRunApply(api, plan, signal);
  if (!dryRun.ok) return { ...nothing, live, refusal, error: errorOf(entry, dryRun.failure) };
  recordDryRunBaseline(entry, plan, dryRun.value, clock.monotonic());
  return { ...nothing, live, refusal, fields: fieldReports(entry, plan, live) };
}

function errorOf(entry: ResourceEntry, { type, reason }: ApplyFailure): string {
  const isRefused = needsApply(entry) && (type === 'permanent' || type === 'immutable');
  return isRefused ? `its manifest is refused: ${reason}` : `the desired state is unknown: ${reason}`;
}

function withBefore(seen: InspectedResource, { inventory }: Application): InspectedResource {
  const { entry } = seen;
  const row = inventory.find(({ identity }) => identityKey(identity) === entry.key);
  return needsApply(entry) && row?.hash !== undefined ? { ...seen, before: row.drifts } : seen;
}

/** Impersonates the ServiceAccount; if that is forbidden, uses the caller's own permissions. */
async function dryRunApply(
  api: Pick<ResourceApi, 'dryRunApply'>,
  plan: ResourcePlan,
  signal: AbortSignal,
): Promise<{ readonly dryRun: Outcome<DryRun>; readonly refusal: string }> {
  const dryRun = await api.dryRunApply(plan, signal);
  if (dryRun.ok || dryRun.failure.type !== 'forbidden') return { dryRun, refusal: '' };
  const own = { ...plan, target: { ...plan.target, account: undefined } };
  return { dryRun: await api.dryRunApply(own, signal), refusal: dryRun.failure.reason };
}
