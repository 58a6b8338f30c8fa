import { durationInSeconds, timeInSeconds } from '@weeder/kube-runtime/base';
import { withFullStop } from '../../controller/report/wording.ts';
import type { WeederEvent, WindowRef } from '../deletions/weederEvents.ts';
import { backOffLeft } from '../pods/backOff.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';

/** What texts depend on in addition to the event. */
export interface WeederRun {
  readonly isDryRun: boolean;
  readonly now: () => number;
}

/** Why a pod is never deleted. */
export const skippedBecause = {
  none: '',
  barePod: 'it has no controller that would recreate it (barePods: keep)',
  mirrorPod: 'it is the mirror of a static pod',
  ignored: 'it is annotated weeder.dev/ignore: "true"',
  jobWithoutRestarts: 'it is of a Job with restartPolicy Never, which would count the deletion as a failure',
} as const;

/** Why a deletion waits. */
export const waitBecause = {
  coolingDown: 'the pod replaces one that was deleted recently',
  restartIsSooner: 'the kubelet restarts the container sooner than a replacement of the pod could run',
  dependencyNotReady: 'another service on which the pod depends is down',
  maintenance: 'no maintenance window is open',
  tooLate: 'the container had just ended',
} as const;

type InBackOff = Pick<CrashLoopingPod, 'cause'>;

/** Why the deletion of this pod waits. */
export function whyWaits(reason: keyof typeof waitBecause, { cause }: InBackOff): string {
  const isPull = reason === 'restartIsSooner' && cause === 'imagePull';
  return isPull ? 'the kubelet may be pulling the image already' : waitBecause[reason];
}

/** What the pod does, as the beginning of a note. */
export function doing({ cause }: InBackOff): string {
  return cause === 'imagePull' ? 'Waiting for its image' : 'Crash-looping';
}

const deleted = { reason: 'PodDeleted', type: 'Normal' } as const;

export const deletedBy = {
  delete: { content: { ...deleted, action: 'Delete' }, words: 'Deleted', outcome: 'deleted' },
  evict: { content: { ...deleted, action: 'Evict' }, words: 'Evicted', outcome: 'evicted' },
  dryRun: {
    content: { reason: 'PodDeletionDryRun', type: 'Normal', action: 'DryRun' },
    words: 'Would be deleted (dry run)',
    outcome: 'dry_run',
  },
} as const;

export function openedNote(
  { duration, because }: Extract<WeederEvent, { readonly type: 'window.opened' }>,
  { isDryRun }: WeederRun,
): string {
  const outcome = isDryRun ? 'would be deleted (dry run)' : 'are deleted';
  const who = because === undefined ? 'dependants' : 'pods that declare the service and are';
  return `${because ?? 'Recovered'}: for ${durationInSeconds(duration)}, ${who} in crash-loop back-off ${outcome}.`;
}

export function closedNote(
  event: Extract<WeederEvent, { readonly type: 'window.closed' }>,
  { isDryRun }: WeederRun,
): string {
  const { deleted, retried, skipped, failed, neverStarted = [], handedOverTo, isReplaced } = event;
  const outcome = isDryRun ? 'would have been deleted (dry run)' : 'deleted';
  const again = retried === undefined ? '' : `${retried} without pods retried, `;
  const end = handedOverTo === undefined ? 'closed' : `handed over to ${handedOverTo}`;
  const what = isReplaced ? 'Window replaced by the next one' : `Window ${end}`;
  const counts = `${what}: ${deleted} ${deleted === 1 ? 'pod' : 'pods'} ${outcome}, ${again}${skipped} skipped`;
  const lost = failed.length === 0 ? '' : `, ${failed.length} failed: ${listed(failed)}`;
  if (neverStarted.length === 0) return `${counts}${lost}.`;
  const names = neverStarted.map(({ namespace, name, reason }) => `${namespace}/${name} (${reason})`);
  return `${counts}${lost}. Never started, and not deleted, as the kubelet tries again: ${listed(names)}.`;
}

/** Two lists of this length leave room for the counts in the 1 kB of a note. */
const longestList = 400;

function listed(names: readonly string[]): string {
  let length = 0;
  const shown = names.filter((name) => {
    length += name.length + 2;
    return length <= longestList;
  });
  const hidden = names.length - shown.length;
  return hidden === 0 ? shown.join(', ') : `${shown.join(', ')} and ${hidden} more`;
}

export function deletedNote(event: Extract<WeederEvent, { type: 'pod.deleted' }>, now: number): string {
  const { pod, how } = event;
  const { container, cause, restarts, message } = pod;
  const why = `${deletedBy[how].words}, because ${recoveryOf(event)}`;
  if (cause === 'imagePull')
    return withFullStop(`${why}: the image of container ${container} was not pulled, ${message}`);
  const left = backOffLeft(pod, now);
  const state = cause === 'unreported' ? 'was in unreported back-off' : 'was in CrashLoopBackOff';
  const times = `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
  const rest = left === undefined ? '' : `, with ${durationInSeconds(left)} of its back-off left`;
  return `${why}: container ${container} ${state} after ${times}${rest}.${lastRunNote(pod)}`;
}

/** How the last run ended, as a further sentence; empty if that is unknown. */
function lastRunNote({ lastRun, finishedAt }: CrashLoopingPod): string {
  if (lastRun === undefined) return '';
  const { exitCode, signal, reason, startedAt, message } = lastRun;
  const isDated = startedAt !== undefined && finishedAt !== undefined;
  const when = isDated ? ` ran from ${timeInSeconds(startedAt)} to ${timeInSeconds(finishedAt)} and` : '';
  const signalled = signal === undefined ? '' : `, signal ${signal}`;
  const because = reason === undefined ? '' : ` (${reason})`;
  const last = message === undefined ? '' : `: ${message}`;
  return withFullStop(` It last${when} ended with exit code ${exitCode}${signalled}${because}${last}`);
}

/** How the last run ended, for the log. */
export function lastRunFields({ lastRun, finishedAt }: CrashLoopingPod): object | undefined {
  if (lastRun === undefined) return undefined;
  const { message, startedAt, ...end } = lastRun;
  return { ...end, startedAt: isoTime(startedAt), finishedAt: isoTime(finishedAt), message };
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : timeInSeconds(time);
}

export function failedNote(event: Extract<WeederEvent, { readonly type: 'deletion.failed' }>): string {
  return withFullStop(`Not deleted after ${recoveryOf(event)}: ${event.reason}`);
}

interface ServiceOfPod extends Pick<WindowRef, 'namespace' | 'service' | 'because'> {
  readonly pod: { readonly namespace: string };
}

/** `service etcd recovered`, with the evidence if the EndpointSlices have none. */
export function recoveryOf(event: ServiceOfPod): string {
  const { because } = event;
  return `${serviceOf(event)} recovered${because === undefined ? '' : ` (${because})`}`;
}

/** `service etcd`, with its namespace if that is not the pod's own. */
export function serviceOf({ namespace, service, pod }: ServiceOfPod): string {
  return `service ${namespace === pod.namespace ? service : `${namespace}/${service}`}`;
}

type Retried = Extract<WeederEvent, { readonly type: 'creation.retried' }>;

export function retriedBy(isDryRun: boolean) {
  return isDryRun
    ? ({ reason: 'PodCreationDryRun', type: 'Normal', action: 'DryRun' } as const)
    : ({ reason: 'PodCreationRetried', type: 'Normal', action: 'Retry' } as const);
}

export function retriedNote({ namespace, service, webhook, isDryRun }: Omit<Retried, 'type'>): string {
  const what = isDryRun ? 'Would be annotated (dry run)' : 'Annotated';
  const why = `because service ${namespace}/${service} of webhook ${webhook} recovered, which had refused its pods`;
  return `${what} so that its controller creates its missing pods at once, ${why}.`;
}

export function notRetriedNote(event: Extract<WeederEvent, { readonly type: 'creation.failed' }>): string {
  return withFullStop(`Not retried after service ${event.namespace}/${event.service} recovered: ${event.reason}`);
}

/** The state of a deleted pod, for a timeline. */
export function stateOf({ cause, restarts }: CrashLoopingPod): string {
  if (cause === 'imagePull') return 'image not pulled';
  return `${cause === 'unreported' ? 'in unreported back-off' : cause}, restarts ${restarts}`;
}
