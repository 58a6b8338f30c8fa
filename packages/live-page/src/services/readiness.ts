import type { ServiceView } from '../../protocol/protocol.ts';
import { count, span } from '../format.ts';
import { instant } from '../times.ts';

/** For `setTimedText`: `ready`, `down, was ready until 2026-11-21T23:41:07.000Z`, `down, not ready since weeder started (3m 10s)`, … */
export function describeReadiness(service: ServiceView, now: number): string {
  const { namespace, isReady, exists, since, readyUntil, isFromStart } = service;
  if (isReady) return 'ready';
  if (namespace === '') return 'in no watched namespace';
  const state = exists ? 'down' : 'does not exist';
  if (readyUntil !== undefined) return `${state}, was ready until ${instant(readyUntil)}`;
  if (since === undefined || !exists) return state;
  return `${state}, not ready since ${isFromStart ? 'weeder started' : 'it was first seen'} (${span(now - since)})`;
}

/** What is wrong beside its readiness, the worst first: `1 deletion failed`, `3 crash-looping`. */
export function problemsOf({ failed, crashLooping }: ServiceView): string[] {
  const problems: string[] = [];
  if (failed > 0) problems.push(`${count(failed)} ${failed === 1 ? 'deletion' : 'deletions'} failed`);
  if (crashLooping > 0) problems.push(`${count(crashLooping)} crash-looping`);
  return problems;
}
