import { count, instant, span } from './format.ts';
import type { ServiceView } from './protocol.ts';

/**
 * The state of a service in words, for `setTimedText`: `Ready`, `Window open`, `Window held: down again for 12s`,
 * `Down for 35s`, `Down, not ready since weeder started (3m 10s)`, `Does not exist, was ready until …`.
 */
export function describeState(service: ServiceView, now: number): string {
  const { namespace, isReady, exists, since, readyUntil, window } = service;
  if (namespace === '') return 'In no watched namespace';
  if (!exists)
    return readyUntil === undefined ? 'Does not exist' : `Does not exist, was ready until ${instant(readyUntil)}`;
  if (isReady) return window === undefined ? 'Ready' : 'Window open';
  const down = since === undefined ? '' : ` for ${span(now - since)}`;
  if (window !== undefined) return `${isHeld(service) ? 'Window held:' : 'Window open,'} down again${down}`;
  return readyUntil === undefined ? neverReady(service, now) : `Down${down}`;
}

/** With `whileNotReady: delete` a window stays open. */
function isHeld({ state }: ServiceView): boolean {
  return state === 'notReady.holding';
}

function neverReady({ since, isFromStart }: ServiceView, now: number): string {
  if (since === undefined) return 'Down';
  return `Down, not ready since ${isFromStart ? 'weeder started' : 'it was first seen'} (${span(now - since)})`;
}

/** What is wrong beside its readiness, the worst first: `1 deletion failed`, `3 crash-looping`. */
export function problemsOf({ failed, failure, crashLooping }: ServiceView): string[] {
  const problems: string[] = [];
  if (failed > 0) problems.push(`${count(failed)} ${failed === 1 ? 'deletion' : 'deletions'} failed`);
  else if (failure !== undefined) problems.push('deletion refused');
  if (crashLooping > 0) problems.push(`${count(crashLooping)} crash-looping`);
  return problems;
}
