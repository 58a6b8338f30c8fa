import type { DeletePod, DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import type { ReadySince } from '../../../src/weeder/services/readySince.ts';
import type { HistoryEvent } from '../recording/history.ts';
import type { ReadyTimeAnswer, ResponseKind } from '../steps.ts';

/** How the API server of a story answers. */
export interface StoryAnswers {
  readonly deletePod: DeletePod;
  readonly readySince: ReadySince;
  /** How it answers from now on. */
  deletions(response: ResponseKind): void;
  readyTimes(readyTime: ReadyTimeAnswer): void;
  /** All waiting requests get their answers. */
  answerLate(response: Exclude<ResponseKind, 'late'>): void;
  /** A deletion that was not sent, and counts as one. */
  pretend(request: Pick<DeletionAttempt, 'uid' | 'resourceVersion'>): void;
}

export interface StoryAnswersOptions {
  readonly now: () => number;
  readonly note: (event: HistoryEvent) => void;
  /** What the cluster does with a deletion that passes. */
  readonly accept: (request: DeletionAttempt) => Promise<DeletionAnswer>;
  /** Epoch milliseconds; the service as `namespace/name`. */
  readonly readySince: (service: string) => number | undefined;
}

const tooMany = 4000;

export function storyAnswers({ now, note, accept, readySince }: StoryAnswersOptions): StoryAnswers {
  const late: ((response: Exclude<ResponseKind, 'late'>) => void)[] = [];
  let response: ResponseKind = 'accept';
  let readyTime: ReadyTimeAnswer = { how: 'true', ago: 0, isLate: false };
  let attempts = 0;

  const answer = () => new Promise<Exclude<ResponseKind, 'late'>>((resolve) => late.push(resolve));

  function sinceOf(service: string, { how, ago }: ReadyTimeAnswer): number | undefined {
    if (how === 'true') return readySince(service);
    return how === 'ago' ? now() - ago : undefined;
  }

  return {
    async deletePod(request) {
      attempts += 1;
      const attempt = attempts;
      const { uid, resourceVersion: version, policy } = request;
      note({ what: 'requested', attempt, uid, version, how: `${policy.deletion} ${policy.gracePeriodSeconds}` });
      const inTime = response === 'late' ? await answer() : response;
      await Promise.resolve();
      const given = await answerOf(inTime, request, accept);
      note({ what: 'answered', attempt, answer: given });
      return given;
    },
    async readySince({ backingPods }, _, signal) {
      const requested = readyTime;
      if (requested.isLate) await answer();
      const [pod] = backingPods ?? [];
      const service = `${pod?.namespace}/${pod?.name.replace(/-\d+$/, '')}`;
      const since = sinceOf(service, requested);
      if (!signal.aborted) note({ what: 'dated', service, since });
      if (requested.how === 'fails') throw new Error('the API server is away');
      return since;
    },
    deletions(next) {
      response = next;
    },
    readyTimes(next) {
      readyTime = next;
    },
    answerLate(how) {
      for (const resolve of late.splice(0)) resolve(how);
    },
    pretend({ uid, resourceVersion: version }) {
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
