import type { DeletePod, DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import type { ReadySince } from '../../../src/weeder/services/readySince.ts';
import type { HistoryEvent } from '../recording/history.ts';
import type { ReadyTimeAnswer, ResponseKind } from '../steps.ts';

export interface StoryAnswersOptions {
  readonly now: () => number;
  readonly note: (event: HistoryEvent) => void;
  /** What the cluster does with a deletion that passes. */
  readonly accept: (request: DeletionAttempt) => Promise<DeletionAnswer>;
  /** Epoch milliseconds; the service as `namespace/name`. */
  readonly readyTimeOf: (service: string) => number | undefined;
}

const tooMany = 4000;

/** How the API server of a story answers. */
export function storyAnswers({ now, note, accept, readyTimeOf }: StoryAnswersOptions) {
  const late: ((response: Exclude<ResponseKind, 'late'>) => void)[] = [];
  let response: ResponseKind = 'accept';
  let readyTime: ReadyTimeAnswer = { how: 'true', ago: 0, isLate: false };
  let attempts = 0;

  const answer = () => new Promise<Exclude<ResponseKind, 'late'>>((resolve) => late.push(resolve));

  function sinceOf(service: string, { how, ago }: ReadyTimeAnswer): number | undefined {
    if (how === 'true') return readyTimeOf(service);
    return how === 'ago' ? now() - ago : undefined;
  }

  const deletePod: DeletePod = async (request) => {
    attempts += 1;
    const attempt = attempts;
    const { uid, resourceVersion: version, policy } = request;
    note({ what: 'requested', attempt, uid, version, how: `${policy.deletion} ${policy.gracePeriodSeconds}` });
    const inTime = response === 'late' ? await answer() : response;
    await Promise.resolve();
    const given = await answerOf(inTime, request, accept);
    note({ what: 'answered', attempt, answer: given });
    return given;
  };

  const readySince: ReadySince = async ({ namespace, backingPods }, _, signal) => {
    const requested = readyTime;
    if (requested.isLate) await answer();
    const [pod] = backingPods ?? [];
    const service = `${namespace}/${pod?.replace(/-\d+$/, '')}`;
    const since = sinceOf(service, requested);
    if (!signal.aborted) note({ what: 'dated', service, since });
    if (requested.how === 'fails') throw new Error('the API server is away');
    return since;
  };

  return {
    deletePod,
    readySince,
    /** How it answers from now on. */
    deletions(next: ResponseKind) {
      response = next;
    },
    readyTimes(next: ReadyTimeAnswer) {
      readyTime = next;
    },
    /** All waiting requests get their answers. */
    answerLate(how: Exclude<ResponseKind, 'late'>) {
      for (const resolve of late.splice(0)) resolve(how);
    },
    /** A deletion that was not sent, and counts as one. */
    pretend({ uid, resourceVersion: version }: Pick<DeletionAttempt, 'uid' | 'resourceVersion'>) {
      attempts += 1;
      note({ what: 'requested', attempt: attempts, uid, version, how: 'dry run' });
      note({ what: 'answered', attempt: attempts, answer: { type: 'delete.accepted' } });
    },
  };
}

function answerOf(
  response: Exclude<ResponseKind, 'late'>,
  request: DeletionAttempt,
  accept: StoryAnswersOptions['accept'],
): DeletionAnswer | Promise<DeletionAnswer> {
  switch (response) {
    case 'accept':
      return accept(request);
    case 'refuse':
      return { type: 'delete.failed' };
    case 'tooMany':
      return { type: 'delete.failed', reason: '429', retryAfter: tooMany };
    case 'reject':
      return { type: 'delete.rejected', reason: 'no' };
    case 'conflict':
      return { type: 'delete.conflicted' };
  }
}
