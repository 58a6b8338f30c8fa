import { span } from './format.ts';

/** By the state of a resource, an application or a workload: what happens when its timer fires. */
const steps: Readonly<Record<string, string>> = {
  'drifted.waiting': 'corrected',
  'missing.waiting': 'created again',
  refused: 'tried again',
  backingOff: 'tried again',
  'deleting.waiting': 'tried again',
  paused: 'resumed',
  stale: 'restarted',
  missing: 'reported as blocked',
};

/** `tried again in 3m 57s`. `until`: when the timer of the state fires. */
export function nextStep(state: string, until: number, now: number): string {
  return `${steps[state] ?? 'checked again'} in ${unbroken(span(until - now))}`;
}

/** A duration that stays on one line. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}
