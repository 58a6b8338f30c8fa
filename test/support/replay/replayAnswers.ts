import { type ApiFailure, classify } from '@weeder/kube-runtime/client';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import type { AnswerStep } from './replayFormat.ts';

/** The answers that a replay gives itself, in place of the cluster. */
export type ReplayAnswers = ReturnType<typeof replayAnswers>;

export function replayAnswers(clock: VirtualClock) {
  const scripts = new Map<AnswerStep['to'], { readonly step: AnswerStep; left: number }>();
  let delayed = 0;

  async function pass(ms: number): Promise<void> {
    delayed += 1;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    delayed -= 1;
  }

  function failureOf({ status, retryAfter }: AnswerStep): ApiFailure | undefined {
    if (status === 200) return undefined;
    if (status === 'network') return { type: 'network', message: 'socket hang up' };
    const body = JSON.stringify({ kind: 'Status', code: status, message: 'said the replay' });
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return classify(status, headers, body, clock.now());
  }

  return {
    /** How the next requests of this kind are answered; afterwards the cluster decides again. */
    script(step: AnswerStep) {
      scripts.set(step.to, { step, left: step.times === 'always' ? Number.POSITIVE_INFINITY : step.times });
    },
    /** Waits as long as the next answer takes. Undefined: the cluster decides. */
    async next(to: AnswerStep['to']) {
      const script = scripts.get(to);
      if (script === undefined || script.left <= 0) return undefined;
      script.left -= 1;
      if (script.step.takes > 0) await pass(script.step.takes);
      return failureOf(script.step);
    },
    /** Answers that wait for time to pass. */
    get delayed() {
      return delayed;
    },
  };
}
