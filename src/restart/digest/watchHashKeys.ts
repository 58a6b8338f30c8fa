import { randomBytes } from 'node:crypto';
import type { Clock, CodedError, TimerHandle } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { dryRunClient } from '@weeder/kube-runtime/client';
import type { ReportRestart } from '../references/events.ts';
import { type HashKeys, hashKeyOf, hashKeysOf, type KeySecret, readHashKeys } from './hashKeys.ts';

export interface WatchHashKeysOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly where: () => KeySecret;
  /** In a dry run no Secret is created: if there is none, the process uses a key of its own. */
  readonly isDryRun: boolean;
  readonly report: ReportRestart;
  readonly onKeys: (keys: HashKeys) => void;
  /** Called once after the first read, whether keys were found or not. */
  readonly onChecked: () => void;
}

/** The key rarely changes. Milliseconds. */
const pollInterval = 60_000;
const shortestRetry = 1_000;
const keyBytes = 32;

/** Reads the hash keys periodically, because a user may replace them. Returns a function that stops it. */
export function watchHashKeys({
  client,
  clock,
  where,
  isDryRun,
  report,
  onKeys,
  onChecked,
}: WatchHashKeysOptions): () => void {
  const stop = new AbortController();
  let timer: TimerHandle | undefined;
  let failures = 0;
  let problem = '';
  let hasChecked = false;
  let hasKeys = false;

  function reportChecked(): void {
    if (!hasChecked) onChecked();
    hasChecked = true;
  }

  function reportMissing({ message, hint }: CodedError): void {
    if (message !== problem) report({ type: 'key.missing', reason: `${message} ${hint}`, isKnown: hasKeys });
    problem = message;
    reportChecked();
  }

  async function poll(): Promise<void> {
    const secret = where();
    const read = await readHashKeys(client, secret, stop.signal, () =>
      report({ type: 'key.created', secret: `${secret.namespace}/${secret.name}` }),
    );
    if (stop.signal.aborted) return;
    if (read.ok) {
      failures = 0;
      problem = '';
      hasKeys = true;
      onKeys(read.value);
      reportChecked();
    } else {
      failures += 1;
      // What passes by itself counts if it lasts and there is no key; otherwise the streams report the API server.
      if (!read.error.isTransient || (failures > 1 && !hasKeys)) reportMissing(read.error);
    }
    const pause = read.ok ? pollInterval : Math.min(pollInterval, shortestRetry * 2 ** Math.min(failures, 6));
    timer = clock.setTimeout(() => void poll(), pause);
  }

  /** Reads only once: without a Secret, each read would make another key. */
  async function readWithoutWrites(): Promise<void> {
    const read = await readHashKeys(dryRunClient(client), where(), stop.signal);
    if (stop.signal.aborted) return;
    onKeys(read.ok ? read.value : ownKeys());
    reportChecked();
  }

  void (isDryRun ? readWithoutWrites() : poll());
  return () => {
    stop.abort();
    clock.clearTimeout(timer);
  };
}

/**
 * Makes a key for a dry run that cannot read the real one: stored states cannot be compared, and only later changes are
 * reported.
 */
function ownKeys(): HashKeys {
  const current = hashKeyOf(randomBytes(keyBytes));
  return hashKeysOf(current, [current]);
}
