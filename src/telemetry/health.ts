import { type Clock, pause, systemClock } from '../base/clock.ts';
import { type Page, sendText } from '../base/httpAnswer.ts';

/** One thing that has to be in order. */
export interface HealthCheck {
  /** As kube-apiserver names its own: `ping`, `stream/pods app=web`. */
  readonly name: string;
  readonly isOk: boolean;
  /** How it is, in a few words; why not, when it is not. May be empty. */
  readonly detail: string;
}

/** How often it is looked whether weeder has become ready. Milliseconds. */
const lookEvery = 50;

/**
 * What a probe is told: 200 or 503, and a line for each check when it fails, or when `?verbose` asks. `patience`: until
 * all of them were in order once, a failure is told after so many milliseconds only. A start is no failure, and whoever
 * asks meanwhile hears at once when it is over.
 */
export function healthPage(
  name: 'healthz' | 'readyz',
  checks: () => readonly HealthCheck[],
  { patience = 0, clock = systemClock }: { readonly patience?: number; readonly clock?: Clock } = {},
): Page {
  let wasOk = false;

  async function found(): Promise<readonly HealthCheck[]> {
    const deadline = clock.monotonic() + (wasOk ? 0 : patience);
    let all = checks();
    while (!areOk(all) && clock.monotonic() < deadline) {
      await pause(clock, lookEvery);
      all = checks();
    }
    wasOk ||= areOk(all);
    return all;
  }

  return async (url, request, response) => {
    const all = await found();
    const isOk = areOk(all);
    const isVerbose = url.searchParams.has('verbose');
    const lines = [...all.map(lineOf), `${name} check ${isOk ? 'passed' : 'failed'}`];
    sendText(request, response, isOk ? 200 : 503, isOk && !isVerbose ? 'ok\n' : `${lines.join('\n')}\n`);
  };
}

function areOk(checks: readonly HealthCheck[]): boolean {
  return checks.every(({ isOk }) => isOk);
}

function lineOf({ name, isOk, detail }: HealthCheck): string {
  const rest = detail === '' ? '' : `: ${detail}`;
  return isOk ? `[+]${name} ok${rest}` : `[-]${name} failed${rest}`;
}
