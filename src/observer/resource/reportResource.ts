import { createHash } from 'node:crypto';
import type { resource } from '../../../machines/observer/resource.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { AboutResource } from '../model/facts.ts';
import type { ResourceState } from '../spec/inventory.ts';
import { mayTell } from '../state/access.ts';
import { foundOf, type ResourceEntry } from '../state/entries.ts';
import { planInForce } from '../state/hear.ts';

/** Different things that are told of a resource until it is corrected, or in sync. */
const mostTold = 20;

type Actions = NonNullable<Parameters<(typeof resource)['provide']>[0]['actions']>;

/** Which resource a fact is about. */
export function aboutOf(entry: ResourceEntry): AboutResource {
  return {
    application: entry.application.about,
    resource: entry.identity,
    apiVersion: entry.manifest.apiVersion,
    uid: mayTell(entry) ? foundOf(entry)?.uid : undefined,
  };
}

/** What the `resource` machine reports: as facts, and in the status of its application. */
export function resourceReports(effects: ObserverEffects) {
  const { report, status } = effects;
  /** What was told since it was in sync last, or corrected: each thing once, whatever it alternates with. */
  const told = new WeakMap<ResourceEntry, Set<string>>();

  function tellOnce(entry: ResourceEntry, text: string, tell: () => void): void {
    const its = told.get(entry) ?? new Set();
    if (its.has(text)) return;
    told.set(entry, its.add(text));
    tell();
  }

  /** The same of what is different or in the way: whoever changes it all the time would fill log, Events and memory. */
  function tellOfFew(entry: ResourceEntry, text: string, tell: () => void): void {
    if ((told.get(entry)?.size ?? 0) >= mostTold) return;
    tellOnce(entry, createHash('sha256').update(text).digest('base64'), tell);
  }

  function become(entry: ResourceEntry, state: ResourceState, reason = ''): void {
    entry.state = state;
    entry.reason = reason;
    status.resourceChanged(entry.application);
  }

  /** All but what is so whatever is corrected: that the manifest of now is refused. */
  function forgetTold(entry: ResourceEntry): void {
    const lasting = entry.kept?.reason;
    if (lasting !== undefined && told.get(entry)?.has(lasting)) told.set(entry, new Set([lasting]));
    else told.delete(entry);
  }

  /** Of an entry that is there: its application may be gone by the time that its actor speaks. */
  function telling(tell: (entry: ResourceEntry, context: Context) => void) {
    return ({ context }: { readonly context: Context }) => {
      const entry = effects.resourceOf(context.application, context.resource);
      if (entry !== undefined) tell(entry, context);
    };
  }

  function refusal({ reason, failure, refusals: attempt, retryIn }: Context) {
    return { reason, failure, attempt, retryIn };
  }

  return {
    reportInSync: telling((entry) => {
      told.delete(entry);
      become(entry, 'inSync');
    }),
    reportDrifted: telling((entry, { mayCorrect }) => {
      // What is yet to be applied is not there as it is wanted, and nobody has changed it.
      if (planInForce(entry) === undefined) return;
      const { drifts, rival } = entry;
      become(entry, 'drifted');
      tellOfFew(entry, `drifted ${JSON.stringify(drifts)}`, () =>
        report({ type: 'resource.drifted', ...aboutOf(entry), drifts, rival, isCorrected: mayCorrect }),
      );
    }),
    reportMissing: telling((entry, { mayCorrect }) => {
      if (planInForce(entry) === undefined) return;
      become(entry, 'missing');
      const isCorrected = mayCorrect;
      tellOnce(entry, 'missing', () => report({ type: 'resource.missing', ...aboutOf(entry), isCorrected }));
    }),
    reportWaiting: telling((entry, { paceIn: wait }) => {
      const { rival } = entry;
      tellOfFew(entry, `contested ${rival}`, () =>
        report({ type: 'resource.contested', ...aboutOf(entry), rival, wait }),
      );
    }),
    reportEnding: telling((entry) => {
      become(entry, 'terminating');
      tellOnce(entry, 'ending', () => report({ type: 'resource.ending', ...aboutOf(entry) }));
    }),
    // Told by who wrote, who knows what.
    reportCorrected: telling(forgetTold),
    reportCreated: telling(forgetTold),
    reportClaimed: telling((entry, { reason }) => {
      become(entry, 'claimed', reason);
      tellOnce(entry, reason, () => report({ type: 'resource.claimed', ...aboutOf(entry), reason }));
    }),
    reportTypeMissing: telling((entry, { reason }) => {
      become(entry, 'typeMissing', reason);
      tellOnce(entry, reason, () => report({ type: 'resource.typeMissing', ...aboutOf(entry), reason }));
    }),
    reportRefused: telling((entry, context) => {
      become(entry, 'refused', context.reason);
      tellOnce(entry, context.reason, () =>
        report({ type: 'resource.refused', ...aboutOf(entry), ...refusal(context) }),
      );
    }),
    reportKeeping: telling((entry, context) => {
      forgetTold(entry);
      become(entry, 'refused', context.reason);
      tellOnce(entry, context.reason, () =>
        report({ type: 'resource.refused', ...aboutOf(entry), ...refusal(context) }),
      );
    }),
    reportUnverified: telling((entry, context) => {
      if (context.failure === 'cancelled') return;
      told.delete(entry);
      become(entry, 'unverified', context.reason);
      report({ type: 'resource.failed', ...aboutOf(entry), ...refusal(context) });
    }),
    reportFailed: telling((entry, context) => {
      if (context.failure === 'cancelled') return;
      become(entry, 'backingOff', context.reason);
      report({ type: 'resource.failed', ...aboutOf(entry), ...refusal(context) });
    }),
  } satisfies Actions;
}

/** What the facts need of the machine's context. */
interface Context {
  readonly application: string;
  readonly resource: string;
  readonly paceIn: number;
  readonly mayCorrect: boolean;
  readonly reason: string;
  readonly refusals: number;
  readonly failure: string;
  readonly retryIn: number;
}
