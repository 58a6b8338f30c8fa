import type { ApplicationEvent } from '../../../machines/observer/application.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import { refusalOf } from '../objects/applyFailure.ts';
import { summaryOf } from '../objects/wording.ts';
import { type ReportedError, reportedError } from '../spec/application.ts';
import { settledAt } from '../status/settling.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { planResources } from './planResources.ts';

/** Validates the application and returns the event for its machine. */
export async function validateApplication(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  signal: AbortSignal,
): Promise<ApplicationEvent> {
  const application = entry.newest;
  const { spec, isTerminating } = application;
  if (entry.valid?.generation !== application.generation)
    entry.settledAt = settledAt(entry.status, application.generation, effects.runtime.clock);
  entry.valid = application;
  entry.isDetectOnly = effects.isDryRun || spec.mode === 'detect';
  if (isTerminating) return { type: 'spec.terminating' };
  entry.errors = application.errors.map(reportedError);
  if (application.errors.some(({ manifest }) => manifest === undefined)) return invalid(entry);
  const pausedFor = (spec.pausedUntil ?? 0) - effects.runtime.clock.now();
  if (pausedFor > 0) return { type: 'spec.paused', pausedFor };
  const planned = await planResources(effects, entry, application, signal);
  if (planned.type === 'failed') return { type: 'spec.failed', ...refusalOf(planned.failure) };
  entry.errors = [...entry.errors, ...planned.errors];
  if (planned.type === 'invalid') return invalid(entry);
  if (entry.isDetectOnly || application.hasFinalizer) return { type: 'spec.valid' };
  const added = await effects.applications.addFinalizer(entry.about, application);
  return added.ok ? { type: 'spec.valid' } : { type: 'spec.failed', ...refusalOf(added.failure) };
}

/** Plans the resources of the newest version again. */
export async function planAgain(effects: ObserverEffects, entry: ApplicationEntry, signal: AbortSignal): Promise<void> {
  const planned = await planResources(effects, entry, entry.newest, signal);
  if (planned.type === 'planned') entry.errors = [...entry.newest.errors.map(reportedError), ...planned.errors];
}

function invalid({ errors }: ApplicationEntry): ApplicationEvent {
  return { type: 'spec.invalid', reason: errorSummary(errors) };
}

/** Returns the errors as a sentence that names the first of them. */
export function errorSummary(errors: readonly ReportedError[]): string {
  const heading = errors.length === 1 ? 'One error' : `${errors.length} errors`;
  return summaryOf(
    heading,
    errors.map(({ place, message }) => `${place}: ${message}`),
  );
}
