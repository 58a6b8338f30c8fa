import { createActor } from 'xstate';
import { application as machine } from '../../machines/observer/application.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { AllowedResources } from '../config/schema/allowedResources.ts';
import { accountOf, planResources } from '../observer/application/planResources.ts';
import type { Claims } from '../observer/effects/claims.ts';
import type { ApplyFailure } from '../observer/model/applyFailure.ts';
import { identityKey } from '../observer/model/identity.ts';
import { ownerOf } from '../observer/model/managers.ts';
import { hashManifest } from '../observer/plan/manifestHash.ts';
import type { Kinds, Outcome, ResourceApi, ResourcePlan, Tried } from '../observer/plan/resourceApi.ts';
import { wantAsTried } from '../observer/resource/findWanted.ts';
import { type Application, type ShownFault, shownFault } from '../observer/spec/application.ts';
import type { ShownDrift } from '../observer/spec/inventory.ts';
import type { ApplicationEntry, ResourceEntry } from '../observer/state/entries.ts';
import { fieldsSeen, type SeenField } from '../observer/state/fieldsSeen.ts';
import { claimantOf, hear, needsApply, noteAbandoned } from '../observer/state/hear.ts';
import { leftOf } from '../observer/state/rows.ts';

/** What is seen of one resource of an application. */
export interface SeenResource {
  /** With its drifts, where they can be known. */
  readonly entry: ResourceEntry;
  /** As the API server has it; undefined: it is not there, or could not be read. */
  readonly live: JsonObject | undefined;
  /** Why it cannot be compared; '': it can, or it is not there. */
  readonly trouble: string;
  /** Why what is wanted could not be tried out in the place of the account; '': it could. */
  readonly refusal: string;
  /** What its manifest says and its schema lists, by path. */
  readonly fields: readonly SeenField[];
  /** In what it differs from what was applied before its manifest of now, as the status has it: only a weeder knows. */
  readonly before: readonly ShownDrift[];
}

/** An application as the API server has it, compared with what is there. */
export interface SeenApplication {
  readonly entry: ApplicationEntry;
  /** Undefined: weeder's own rights. */
  readonly account: string | undefined;
  /** Of spec, manifests and schema. */
  readonly faults: readonly ShownFault[];
  /** Why its manifests could not be looked at; '': they could. */
  readonly trouble: string;
  /** In the order of the manifests. */
  readonly resources: readonly SeenResource[];
}

interface LookingAt {
  readonly clock: Clock;
  readonly kinds: Kinds;
  readonly api: Pick<ResourceApi, 'read' | 'tryOut'>;
  /** What the config lets Applications hold. */
  readonly allow: AllowedResources;
  /** Default: every label is taken for that of an application. */
  readonly claims?: Claims;
  readonly signal: AbortSignal;
}

/** So many resources are looked at at once. */
const concurrency = 8;

/** Compares each resource of an application as its observer would, and writes nothing: what is wanted is tried out. */
export async function lookAtApplication(
  application: Application,
  status: unknown,
  looking: LookingAt,
): Promise<SeenApplication> {
  const entry = entryOf(application, status);
  const account = accountOf(application, false);
  const faults = application.faults.map(shownFault);
  const nothing = { entry, account, faults, trouble: '', resources: [] };
  if (application.faults.some(({ manifest }) => manifest === undefined)) return nothing;
  const streams = { join: () => undefined, leave: () => undefined };
  const runtime = { clock: looking.clock };
  const allow = () => looking.allow;
  const effects = { runtime, kinds: looking.kinds, allow, mayUseOwnRights: false, hashManifest, streams };
  const planned = await planResources(effects, entry, application, looking.signal);
  if (planned.is === 'failed') return { ...nothing, trouble: planned.failure.reason };
  if (planned.is === 'invalid') return { ...nothing, faults: [...faults, ...planned.faults] };
  const resources: SeenResource[] = [];
  const all = [...entry.resources.values()];
  for (let index = 0; index < all.length; index += concurrency) {
    const some = all.slice(index, index + concurrency);
    resources.push(
      ...(await Promise.all(some.map(async (each) => withBefore(await lookAt(each, looking), application)))),
    );
  }
  return { ...nothing, faults: [...faults, ...planned.faults], resources };
}

/** Its actor is never started: nobody acts for this one. */
function entryOf(application: Application, status: unknown): ApplicationEntry {
  const { namespace, name, uid, inventory, spec } = application;
  const id = `${namespace}/${name}`;
  return {
    id,
    about: { namespace, name, uid },
    owner: ownerOf(application),
    actor: createActor(machine, { id, input: { application: id } }),
    newest: application,
    valid: application,
    isDetectOnly: spec.mode === 'detect',
    resources: new Map(),
    left: new Map(inventory.map((row) => [identityKey(row.identity), leftOf(row)])),
    faults: [],
    accountFault: '',
    taken: new Set(),
    removals: new Map(),
    inFlight: new Set(),
    status,
    toldGeneration: application.observedGeneration,
  };
}

async function lookAt(entry: ResourceEntry, { clock, api, claims, signal }: LookingAt): Promise<SeenResource> {
  const { plan } = entry;
  const nothing: SeenResource = { entry, live: undefined, trouble: '', refusal: '', fields: [], before: [] };
  if (plan === undefined) return nothing;
  const read = await api.read(plan.target, signal);
  if (!read.ok) return { ...nothing, trouble: `it cannot be read: ${read.failure.reason}` };
  const live = read.value;
  if (live === undefined) {
    entry.found = 'missing';
    return nothing;
  }
  hear(entry, live, clock.monotonic());
  if (claimantOf(entry) !== undefined && claims !== undefined)
    noteAbandoned(entry, await claims.isAbandoned(live), clock.monotonic());
  const { tried, refusal } = await tryOut(api, plan, signal);
  if (!tried.ok) return { ...nothing, live, refusal, trouble: troubleOf(entry, tried.failure) };
  wantAsTried(entry, plan, tried.value, clock.monotonic());
  return { ...nothing, live, refusal, fields: fieldsSeen(entry, plan, live) };
}

function troubleOf(entry: ResourceEntry, { is, reason }: ApplyFailure): string {
  const isRefused = needsApply(entry) && (is === 'permanent' || is === 'immutable');
  return isRefused ? `its manifest is refused: ${reason}` : `what is wanted is not known: ${reason}`;
}

function withBefore(seen: SeenResource, { inventory }: Application): SeenResource {
  const { entry } = seen;
  const row = inventory.find(({ identity }) => identityKey(identity) === entry.key);
  return needsApply(entry) && row?.hash !== undefined ? { ...seen, before: row.drifts } : seen;
}

/** As the account would; where that may not, or whoever asks may not take its place, with the rights of who asks. */
async function tryOut(
  api: Pick<ResourceApi, 'tryOut'>,
  plan: ResourcePlan,
  signal: AbortSignal,
): Promise<{ readonly tried: Outcome<Tried>; readonly refusal: string }> {
  const tried = await api.tryOut(plan, signal);
  if (tried.ok || tried.failure.is !== 'forbidden') return { tried, refusal: '' };
  const own = { ...plan, target: { ...plan.target, account: undefined } };
  return { tried: await api.tryOut(own, signal), refusal: tried.failure.reason };
}
