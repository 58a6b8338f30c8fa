import { classify } from '../../../src/kube/client/failure.ts';
import { type Answer, answerTo } from '../../../src/restart/model/answer.ts';
import { purposeOf } from '../../../src/restart/recording/restartPort.ts';
import type { RestartApi } from '../../../src/restart/requests/restartApi.ts';
import type { VirtualClock } from '../world/virtualClock.ts';
import type { AnswerStep } from './replayFormat.ts';
import { type RestartRequestKind, restartRequestKinds } from './replayRestartFormat.ts';

/** The API server of a replay as restart control sees it: it fails on demand. */
export interface ReplayRestartApi {
  wrap(real: RestartApi): RestartApi;
  /** How the next requests of this kind are answered; afterwards the cluster decides again. */
  script(step: AnswerStep): void;
  /** Answers that wait for time to pass. */
  readonly delayed: number;
}

/** `report` is called for each write and eviction, and for each refusal. */
export function replayRestartApi(clock: VirtualClock, log: (sentence: string) => void): ReplayRestartApi {
  const scripts = new Map<RestartRequestKind, { readonly step: AnswerStep; left: number }>();
  let delayed = 0;

  async function answer<T>(part: RestartRequestKind, what: string, real: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const script = scripts.get(part);
    const isScripted = script !== undefined && script.left > 0;
    if (script !== undefined) script.left -= 1;
    const { status, takes, retryAfter } = isScripted ? script.step : { status: 200, takes: 0 };
    if (takes > 0) await pass(takes);
    const answered: Answer<T> = status === 200 ? await real() : refusal(status, retryAfter);
    const result = status === 200 && answered.is === 'conflicted' ? 409 : status;
    if (result !== 200) log(`${what} is answered ${result}`);
    return answered;
  }

  async function pass(ms: number): Promise<void> {
    delayed += 1;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    delayed -= 1;
  }

  function refusal(status: number | 'network', retryAfter: number | undefined): Answer<never> {
    if (status === 'network') return answerTo({ kind: 'network', message: 'socket hang up' }, 'https://replay');
    const result = { kind: 'Status', code: status, message: 'said the replay' };
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return answerTo(classify(status, headers, JSON.stringify(result), clock.now()), 'https://replay');
  }

  return {
    wrap: (real) => ({
      ...real,
      readSource: (ref, signal) =>
        answer('sources', `GET ${ref.kind} ${ref.namespace}/${ref.name}`, () => real.readSource(ref, signal)),
      patchWorkload(ref, patch, signal) {
        const what = `PATCH ${ref.namespace}/${ref.name}`;
        log(`${what} (${purposeOf(patch)})`);
        return answer('writes', what, () => real.patchWorkload(ref, patch, signal));
      },
      listPods: (namespace, selector, signal) =>
        answer('pods', `LIST pods of ${namespace}`, () => real.listPods(namespace, selector, signal)),
      evict(pod, signal) {
        const what = `EVICT ${pod.namespace}/${pod.name}`;
        log(what);
        return answer('evictions', what, () => real.evict(pod, signal));
      },
    }),
    script(step) {
      const part = restartRequestKinds.find((each) => each === step.to);
      if (part === undefined) return;
      scripts.set(part, { step, left: step.times === 'always' ? Number.POSITIVE_INFINITY : step.times });
    },
    get delayed() {
      return delayed;
    },
  };
}
