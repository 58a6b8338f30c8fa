import { purposeOf } from '../../../src/restart/recording/restartPort.ts';
import { type Answer, answerTo } from '../../../src/restart/references/answer.ts';
import type { RestartApi } from '../../../src/restart/requests/restartApi.ts';
import type { ReplayAnswers } from './replayAnswers.ts';
import type { RestartRequestKind } from './replayRestartFormat.ts';

/** The API server of a replay as restart control sees it: it fails on demand. `log` gets each write and refusal. */
export function replayRestartApi(
  real: RestartApi,
  answers: ReplayAnswers,
  log: (sentence: string) => void,
): RestartApi {
  async function answer<T>(to: RestartRequestKind, what: string, send: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const failure = await answers.next(to);
    const answered = failure === undefined ? await send() : answerTo(failure, 'https://replay');
    const isConflict = failure === undefined && answered.type === 'conflicted';
    if (failure !== undefined || isConflict) log(`${what} is answered ${failure?.status ?? failure?.type ?? 409}`);
    return answered;
  }

  return {
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
  };
}
