import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';

interface ContentWatchOptions<T> {
  readonly clock: Clock;
  /** Reads the current content. The promise never rejects. */
  readonly read: () => Promise<T>;
  /** Returns equal keys for equal contents. */
  readonly keyOf: (content: T) => string;
  /** How long a content has to remain unchanged before it is reported, in milliseconds. */
  readonly settleTime: (content: T) => number;
  /** The polling interval, in milliseconds. */
  readonly pollInterval: number;
  /** The content that is already known. */
  readonly known: T;
  readonly onChange: (content: T) => void;
}

/** Watches content that changes, and reports each new content once, after it has settled. */
export interface ContentWatch {
  /** Something has changed: read soon. */
  notice(): void;
  /** Reads now, and accepts the content without a settle time. Resolves to whether it was new. */
  readNow(): Promise<boolean>;
  stop(): void;
}

export function watchContent<T>(options: ContentWatchOptions<T>): ContentWatch {
  const { clock, read, keyOf, settleTime, pollInterval, onChange } = options;
  let knownContent = keyOf(options.known);
  /** The content that was read last, and since when it has been unchanged, by the monotonic clock. */
  let candidate: { readonly key: string; readonly since: number } | undefined;
  let timer: { readonly handle: TimerHandle; readonly due: number } | undefined;
  let reading: Promise<boolean> | undefined;
  let isStopped = false;

  function readIn(ms: number): void {
    const due = clock.monotonic() + ms;
    if (isStopped || (timer !== undefined && timer.due <= due)) return;
    clock.clearTimeout(timer?.handle);
    timer = { handle: clock.setTimeout(() => void readInTurn(false), ms), due };
  }

  function deliver(content: T, key: string): boolean {
    knownContent = key;
    candidate = undefined;
    onChange(content);
    return true;
  }

  /** Whether the content is new and has settled; if it has not settled, the next read is scheduled. */
  function accept(content: T, isRequested: boolean): boolean {
    const key = keyOf(content);
    if (key === knownContent) {
      candidate = undefined;
      return false;
    }
    if (isRequested) return deliver(content, key);
    if (candidate?.key !== key) candidate = { key, since: clock.monotonic() };
    const left = candidate.since + settleTime(content) - clock.monotonic();
    if (left <= 0) return deliver(content, key);
    readIn(left);
    return false;
  }

  async function readOnce(isRequested: boolean): Promise<boolean> {
    const content = await read();
    const isChanged = !isStopped && accept(content, isRequested);
    readIn(pollInterval);
    return isChanged;
  }

  /** Only one read runs at a time. */
  async function readInTurn(isRequested: boolean): Promise<boolean> {
    clock.clearTimeout(timer?.handle);
    timer = undefined;
    while (reading !== undefined) await reading;
    reading = readOnce(isRequested).finally(() => {
      reading = undefined;
    });
    return reading;
  }

  readIn(pollInterval);
  return {
    notice: () => readIn(shortestPause),
    readNow: () => readInTurn(true),
    stop() {
      isStopped = true;
      clock.clearTimeout(timer?.handle);
    },
  };
}

/** The minimum time between two reads, for any number of changes. Milliseconds. */
const shortestPause = 100;
