import type { Clock, TimerHandle } from '../base/clock.ts';

interface ContentWatchOptions<T> {
  readonly clock: Clock;
  /** Reads what is there now. Never rejects. */
  readonly read: () => Promise<T>;
  /** Equal for contents that are the same. */
  readonly keyOf: (content: T) => string;
  /** How long a content has to stay as it is, in milliseconds, before it counts. */
  readonly settleTime: (content: T) => number;
  /** How often to look without being asked to, in milliseconds. */
  readonly pollInterval: number;
  /** The content that is known already. */
  readonly known: T;
  readonly onNews: (content: T) => void;
}

/** Looks at something that changes, and tells of each new content once, when it has settled. */
export interface ContentWatch {
  /** Something happened: look soon. */
  notice(): void;
  /** Look now, and take what is there as it is. Resolves with whether it was news. */
  lookNow(): Promise<boolean>;
  stop(): void;
}

export function watchContent<T>(options: ContentWatchOptions<T>): ContentWatch {
  const { clock, read, keyOf, settleTime, pollInterval, onNews } = options;
  let known = keyOf(options.known);
  /** What was seen last, and since when it has been like that, by the monotonic clock. */
  let candidate: { readonly key: string; readonly since: number } | undefined;
  let timer: { readonly handle: TimerHandle; readonly due: number } | undefined;
  let looking: Promise<boolean> | undefined;
  let isStopped = false;

  function lookIn(ms: number): void {
    const due = clock.monotonic() + ms;
    if (isStopped || (timer !== undefined && timer.due <= due)) return;
    clock.clearTimeout(timer?.handle);
    timer = { handle: clock.setTimeout(() => void look(false), ms), due };
  }

  function tell(content: T, key: string): boolean {
    known = key;
    candidate = undefined;
    onNews(content);
    return true;
  }

  /** Whether the content is news that counts; where it has not settled, when to look again. */
  function judge(content: T, isAsked: boolean): boolean {
    const key = keyOf(content);
    if (key === known) {
      candidate = undefined;
      return false;
    }
    if (isAsked) return tell(content, key);
    if (candidate?.key !== key) candidate = { key, since: clock.monotonic() };
    const left = candidate.since + settleTime(content) - clock.monotonic();
    if (left <= 0) return tell(content, key);
    lookIn(left);
    return false;
  }

  async function lookOnce(isAsked: boolean): Promise<boolean> {
    const content = await read();
    const isNews = !isStopped && judge(content, isAsked);
    lookIn(pollInterval);
    return isNews;
  }

  /** One look at a time. */
  async function look(isAsked: boolean): Promise<boolean> {
    clock.clearTimeout(timer?.handle);
    timer = undefined;
    while (looking !== undefined) await looking;
    looking = lookOnce(isAsked).finally(() => {
      looking = undefined;
    });
    return looking;
  }

  lookIn(pollInterval);
  return {
    notice: () => lookIn(shortestPause),
    lookNow: () => look(true),
    stop() {
      isStopped = true;
      clock.clearTimeout(timer?.handle);
    },
  };
}

/** However much happens, no more than one look in this time. Milliseconds. */
const shortestPause = 100;
