import { count, instant, span } from './format.ts';
import type { ServiceView } from './protocol.ts';
import { isUp } from './serviceFilter.ts';
import { serviceStates } from './states.ts';

/**
 * The state of a service in words, with times, for `setTimedText`: `Ready`, `Window held: down again for 12s`,
 * `Down for 35s`, `Down, not ready since weeder started (3m 10s)`, `No EndpointSlice, was ready until …`.
 */
export function describeState(service: ServiceView, now: number): string {
  const { exists, isReady, since, readyUntil, window } = service;
  const state = stateOf(service);
  const { words } = serviceStates[state];
  if (window?.because !== undefined && isUp(service)) return `${words}: ${window.because}`;
  if (!exists) return readyUntil === undefined ? words : `${words}, was ready until ${instant(readyUntil)}`;
  if (isReady || since === undefined) return words;
  const time = span(now - since);
  return window === undefined && readyUntil === undefined ? `${words} (${time})` : `${words} for ${time}`;
}

function stateOf(service: ServiceView): keyof typeof serviceStates {
  const { exists, isReady, window, state } = service;
  if (!isReady && isUp(service)) return 'notReady.assumedReady';
  if (!exists || window === undefined) return stateWithoutWindow(service);
  if (isReady) return 'ready.windowOpen';
  // With `whileNotReady: delete` a window stays open.
  return state === 'notReady.holding' ? 'notReady.holding' : 'notReady.windowOpen';
}

/** The id of its words in `serviceStates`, if no window of it is open. */
export function stateWithoutWindow(
  service: Pick<ServiceView, 'namespace' | 'exists' | 'isReady' | 'isFromStart' | 'since' | 'readyUntil'>,
): keyof typeof serviceStates {
  const { namespace, exists, isReady, isFromStart, since, readyUntil } = service;
  if (namespace === '') return 'unwatched';
  if (!exists) return 'absent';
  if (isReady) return 'ready';
  if (readyUntil !== undefined || since === undefined) return 'notReady';
  return isFromStart ? 'neverReady' : 'neverReadySinceSeen';
}

/** What is wrong beside its readiness, the worst first: `1 deletion failed`, `3 crash-looping`. */
export function problemsOf({ failed, failure, crashLooping }: ServiceView): string[] {
  const problems: string[] = [];
  if (failed > 0) problems.push(`${count(failed)} ${failed === 1 ? 'deletion' : 'deletions'} failed`);
  else if (failure !== undefined) problems.push('deletion refused');
  if (crashLooping > 0) problems.push(`${count(crashLooping)} crash-looping`);
  return problems;
}
