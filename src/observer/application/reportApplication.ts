import type { application } from '../../../machines/observer/application.ts';
import { needsApply } from '../entries/comparison.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { serviceAccountNotFound } from '../streams/serviceAccounts.ts';
import { errorSummary } from './validateApplication.ts';

type Actions = NonNullable<Parameters<(typeof application)['provide']>[0]['actions']>;

/**
 * The default ServiceAccount of a new namespace is created a moment after the namespace. Its absence is reported only
 * after this number of attempts.
 */
const missesBeforeReport = 3;

/** Reports what the `application` machine decides, as events and in the status. */
export function applicationReports(effects: ObserverEffects) {
  const { report, status, runtime } = effects;
  /** Applications whose missing ServiceAccount has been reported. */
  const reportedMissing = new WeakSet<ApplicationEntry>();

  /** Calls `report` with the entry, unless the application was deleted. */
  function withEntry(act: (entry: ApplicationEntry, context: Context) => void) {
    return ({ context }: { readonly context: Context }) => {
      const entry = effects.entryOf(context.application);
      if (entry !== undefined) act(entry, context);
    };
  }

  return {
    reportInvalid: withEntry((entry, { reason }) => {
      status.changed(entry);
      report({ type: 'application.invalid', application: entry.about, reason });
    }),
    reportPaused: withEntry((entry, { pausedFor }) => {
      status.changed(entry);
      const until = runtime.clock.now() + pausedFor;
      report({ type: 'application.paused', application: entry.about, until });
    }),
    reportApplied: withEntry((entry) => {
      status.applied(entry);
      reportedMissing.delete(entry);
      const { about: application, errors, resources } = entry;
      const generation = entry.valid?.generation ?? 0;
      // Nothing is reported when the same generation is applied again, for example after a restart or because its kind
      // is now served.
      if (entry.reportedGeneration === generation) return;
      entry.reportedGeneration = generation;
      if (errors.length > 0) report({ type: 'application.partlyInvalid', application, reason: errorSummary(errors) });
      if (entry.isDetectOnly) return;
      const entries = [...resources.values()];
      const failed = entries.filter((each) => each.desired.plan === undefined || needsApply(each)).length;
      report({ type: 'application.applied', application, generation, resources: entries.length, failed });
    }),
    reportFailed: withEntry((entry, { reason, failure, failures: attempt, retryIn }) => {
      if (isOver(failure)) return;
      status.changed(entry);
      report({ type: 'application.refused', application: entry.about, reason, failure, attempt, retryIn });
      if (failure !== serviceAccountNotFound || attempt < missesBeforeReport || reportedMissing.has(entry)) return;
      reportedMissing.add(entry);
      report({ type: 'application.serviceAccountNotFound', application: entry.about, reason });
    }),
  } satisfies Actions;
}

/** The attempt was cancelled, or the stream is about to report that the application was deleted. */
function isOver(failure: string): boolean {
  return failure === 'cancelled' || failure === 'missing' || failure === 'otherUid';
}

/** The part of the machine's context that the events need. */
interface Context {
  readonly application: string;
  readonly pausedFor: number;
  readonly reason: string;
  readonly failure: string;
  readonly failures: number;
  readonly retryIn: number;
}
