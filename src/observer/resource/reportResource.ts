import { createHash } from 'node:crypto';
import type { ResourceMemory, resource } from '../../../machines/observer/resource.ts';
import { mayDisclose } from '../entries/access.ts';
import { effectivePlan } from '../entries/comparison.ts';
import type { ResourceEntry, Wait } from '../entries/entries.ts';
import { foundOf } from '../entries/live.ts';
import { forgetRefusal } from '../entries/transitions.ts';
import type { AboutResource } from '../objects/events.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';

/** The maximum number of different reports about a resource until it is corrected or in sync. */
const maxReported = 20;

type Actions = NonNullable<Parameters<(typeof resource)['provide']>[0]['actions']>;

/** Identifies the resource that an event is about. */
export function aboutOf(entry: ResourceEntry): AboutResource {
  return {
    application: entry.application.about,
    resource: entry.identity,
    apiVersion: entry.desired.manifest.apiVersion,
    uid: mayDisclose(entry) ? foundOf(entry.live)?.uid : undefined,
  };
}

/** Returns the reporting actions of the `resource` machine, for events and for the status of the application. */
export function resourceReports(effects: ObserverEffects) {
  const { report, status } = effects;
  /** The reports since the resource was last in sync or corrected. Each report is made once. */
  const reported = new WeakMap<ResourceEntry, Set<string>>();

  function reportOnce(entry: ResourceEntry, text: string, act: () => void): void {
    const reasons = reported.get(entry) ?? new Set();
    if (reasons.has(text)) return;
    reported.set(entry, reasons.add(text));
    act();
  }

  /**
   * Does the same for drifts, with an upper limit: otherwise a client that keeps changing the object could fill the
   * log, the Events and the memory.
   */
  function reportLimited(entry: ResourceEntry, text: string, act: () => void): void {
    if ((reported.get(entry)?.size ?? 0) >= maxReported) return;
    reportOnce(entry, createHash('sha256').update(text).digest('base64'), act);
  }

  /** Its state has changed. `wait`: milliseconds until it is checked again; 0: it waits for no time. */
  function stateChanged(entry: ResourceEntry, wait = 0): void {
    entry.wait = waitAfter(entry.wait, effects.runtime.clock.now(), wait);
    forgetRefusal(entry, 'retriedRefusal');
    status.resourceChanged(entry.application);
  }

  /** Clears all reports, except that the manifest or a field is refused, which a correction does not change. */
  function clearReported(entry: ResourceEntry): void {
    const lasting = [entry.desired.lastKnownGood?.reason, entry.desired.rejection?.reason];
    const kept = lasting.filter((text) => text !== undefined && reported.get(entry)?.has(text) === true);
    reported.set(entry, new Set(kept.filter((text) => text !== undefined)));
  }

  /** Calls `act` with the entry, unless its application was deleted. */
  function withEntry(act: (entry: ResourceEntry, context: Context) => void) {
    return ({ context }: { readonly context: Context }) => {
      const entry = effects.resources.get(context.application, context.resource);
      if (entry !== undefined) act(entry, context);
    };
  }

  function refusal({ reason, failure, failures: attempt, retryIn }: Context) {
    return { reason, failure, attempt, retryIn };
  }

  function refuse(entry: ResourceEntry, context: Context): void {
    stateChanged(entry, context.retryIn);
    reportOnce(entry, context.reason, () =>
      report({ type: 'resource.refused', ...aboutOf(entry), ...refusal(context) }),
    );
  }

  return {
    reportInSync: withEntry((entry) => {
      reported.delete(entry);
      stateChanged(entry);
    }),
    reportDrifted: withEntry((entry, { mayCorrect, memory: { conflictingManager } }) => {
      // A manifest that is not applied yet differs from the live object, which is not drift.
      if (effectivePlan(entry) === undefined) return;
      const { drifts } = entry.live;
      stateChanged(entry);
      reportLimited(entry, `drifted ${JSON.stringify(drifts)}`, () =>
        report({ type: 'resource.drifted', ...aboutOf(entry), drifts, conflictingManager, isCorrected: mayCorrect }),
      );
    }),
    reportMissing: withEntry((entry, { mayCorrect }) => {
      if (effectivePlan(entry) === undefined) return;
      stateChanged(entry);
      const isCorrected = mayCorrect;
      reportOnce(entry, 'missing', () => report({ type: 'resource.missing', ...aboutOf(entry), isCorrected }));
    }),
    reportBackOff: withEntry((entry, { backoff: wait, memory: { conflictingManager } }) => {
      stateChanged(entry, wait);
      reportLimited(entry, `contested ${conflictingManager}`, () =>
        report({ type: 'resource.correctionBackOff', ...aboutOf(entry), conflictingManager, wait }),
      );
    }),
    reportPending: withEntry((entry, { pending }) => {
      stateChanged(entry);
      const reason = pending;
      reportOnce(entry, reason, () => report({ type: 'resource.correctionPending', ...aboutOf(entry), reason }));
    }),
    reportTerminating: withEntry((entry) => {
      stateChanged(entry);
      reportOnce(entry, 'ending', () => report({ type: 'resource.terminating', ...aboutOf(entry) }));
    }),
    // The write itself has reported what it did.
    clearReports: withEntry(clearReported),
    reportClaimed: withEntry((entry, { reason }) => {
      stateChanged(entry);
      reportOnce(entry, reason, () => report({ type: 'resource.ownershipConflict', ...aboutOf(entry), reason }));
    }),
    reportTypeMissing: withEntry((entry, { reason }) => {
      stateChanged(entry);
      reportOnce(entry, reason, () => report({ type: 'resource.noKindMatch', ...aboutOf(entry), reason }));
    }),
    reportRejected: withEntry(refuse),
    reportUsingLastApplied: withEntry((entry, context) => {
      clearReported(entry);
      refuse(entry, context);
    }),
    reportUnverified: withEntry((entry, context) => {
      if (context.failure === 'cancelled') return;
      reported.delete(entry);
      stateChanged(entry, context.retryIn);
      report({ type: 'resource.failed', ...aboutOf(entry), ...refusal(context) });
    }),
    reportFailed: withEntry((entry, context) => {
      if (context.failure === 'cancelled') return;
      stateChanged(entry, context.retryIn);
      report({ type: 'resource.failed', ...aboutOf(entry), ...refusal(context) });
    }),
  } satisfies Actions;
}

/** A shorter wait is in no status, so that its attempts write none. Milliseconds. */
const shortestShownWait = 60_000;

/** The same wait continues if its end has only been rounded. */
function waitAfter(before: Wait | undefined, now: number, wait: number): Wait | undefined {
  const until = now + wait;
  if (before !== undefined && wait > 0 && Math.abs(before.until - until) < 1_000) return before;
  return wait < shortestShownWait ? undefined : { from: now, until };
}

/** The fields of the machine's context that the events contain. */
interface Context {
  readonly application: string;
  readonly resource: string;
  readonly memory: ResourceMemory;
  readonly backoff: number;
  readonly mayCorrect: boolean;
  readonly pending: string;
  readonly reason: string;
  readonly failures: number;
  readonly failure: string;
  readonly retryIn: number;
}
