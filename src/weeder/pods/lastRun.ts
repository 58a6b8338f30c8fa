import { type JsonObject, numberOf, textOf, timeOf, truncate } from '@weeder/kube-runtime/base';
import { shortTextIn } from '@weeder/kube-runtime/objects';
import { printable } from '../../base/printable.ts';

/** How the last run of a container ended, as the kubelet reports it. The node forgets it with the pod. */
export interface LastRun {
  readonly exitCode: number;
  /** The number of the signal, if the container runtime reports it. */
  readonly signal: number | undefined;
  /** Such as `Error` or `OOMKilled`. */
  readonly reason: string | undefined;
  /** Epoch milliseconds by the node's clock. */
  readonly startedAt: number | undefined;
  /** The beginning of the termination message, on one line. */
  readonly message: string | undefined;
}

/** Reads `state.terminated` of a container status. Returns undefined if there is none. */
export function lastRunOf({ exitCode, signal, reason, startedAt, message }: JsonObject): LastRun | undefined {
  if (typeof exitCode !== 'number') return undefined;
  return {
    exitCode,
    signal: numberOf(signal),
    reason: shortTextIn(reason, longestReason),
    startedAt: timeOf(startedAt),
    message: terminationMessage(message),
  };
}

/** Kubernetes allows 4 KiB. Bytes. */
const longestMessage = 256;
const longestReason = 128;

/** The beginning of a termination message, on one line and with control characters escaped; undefined if it is empty. */
export function terminationMessage(message: unknown): string | undefined {
  const text = textOf(message)?.trim() ?? '';
  return text === '' ? undefined : truncate(printable(truncate(text, longestMessage)), longestMessage);
}
