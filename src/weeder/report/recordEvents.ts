import type { Clock } from '../../base/clock.ts';
import { formatDuration } from '../../base/duration.ts';
import type { EventDraft, ObjectRef } from '../../kube/events/event.ts';
import type { ReportWeeder, WeederEvent, WindowRef } from '../deletions/weederEvents.ts';
import { backOffLeft } from '../pods/backOff.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { EventReason, eventTable } from './eventTable.ts';
import { skippedBecause, waitBecause } from './logEvents.ts';

interface RecordEventsOptions {
  readonly record: (occurrence: EventDraft) => void;
  /** The uid of the Service, if known. */
  readonly serviceUid: (namespace: string, service: string) => string | undefined;
  readonly isDryRun: boolean;
  readonly clock: Clock;
}

/** Records as Kubernetes Events those events that help a user who inspects the pod or the service. */
export function recordEvents({ record, serviceUid, isDryRun, clock }: RecordEventsOptions): ReportWeeder {
  /** The uids of the Services with an open window, stored because their slices may be deleted when the window closes. */
  const uids = new Map<string, string | undefined>();

  function serviceOf({ namespace, service }: WindowRef, uid: string | undefined): ObjectRef {
    return { apiVersion: 'v1', kind: 'Service', namespace, name: service, uid };
  }

  return (event) => {
    switch (event.type) {
      case 'window.opened': {
        const uid = serviceUid(event.namespace, event.service);
        uids.set(keyOf(event), uid);
        record(about(serviceOf(event, uid), 'WindowOpened', 'Normal', 'Watch', openedNote(event.duration, isDryRun)));
        return;
      }
      case 'window.closed': {
        const service = serviceOf(event, uids.get(keyOf(event)));
        uids.delete(keyOf(event));
        const type = event.failed.length > 0 ? 'Warning' : 'Normal';
        record(about(service, 'WindowClosed', type, 'Stop', closedNote(event, isDryRun)));
        return;
      }
      case 'pod.deleted': {
        const { reason, action } = reasonByMethod[event.how];
        record(about(podRef(event.pod), reason, 'Normal', action, deletedNote(event, clock)));
        return;
      }
      case 'pod.skipped': {
        const note = `Crash-looping, and skipped after ${servicesOf(event)} recovered: ${skippedBecause[event.reason]}.`;
        record(about(podRef(event.pod), 'DeletionSkipped', 'Normal', 'Keep', note));
        return;
      }
      case 'deletion.pending': {
        const again = `The next check is in ${inSeconds(Math.max(1_000, event.waitIn))}`;
        const note = `Crash-looping, and not deleted yet after ${servicesOf(event)} recovered: ${waitBecause[event.reason]}. ${again}.`;
        record(about(podRef(event.pod), 'DeletionPending', 'Normal', 'Wait', note));
        return;
      }
      case 'deletion.failed': {
        const note = `Not deleted after ${servicesOf(event)} recovered: ${event.reason}`;
        record(about(podRef(event.pod), 'DeletionFailed', 'Warning', 'GiveUp', ended(note)));
        return;
      }
    }
  };
}

const reasonByMethod = {
  delete: { reason: 'PodDeleted', action: 'Delete', words: 'Deleted' },
  evict: { reason: 'PodDeleted', action: 'Evict', words: 'Evicted' },
  dryRun: { reason: 'PodDeletionDryRun', action: 'DryRun', words: 'Would be deleted (dry run)' },
} as const;

/** Builds an Event of the table. */
function about<R extends EventReason>(
  regarding: ObjectRef,
  reason: R,
  type: (typeof eventTable)[R]['types'][number],
  action: (typeof eventTable)[R]['actions'][number],
  note: string,
): EventDraft {
  return { regarding, type, reason, action, note };
}

function podRef({ namespace, name, uid }: CrashLoopingPod): ObjectRef {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
}

function keyOf({ namespace, service, window }: WindowRef): string {
  return `${namespace}/${service}#${window}`;
}

function openedNote(duration: number, isDryRun: boolean): string {
  const outcome = isDryRun ? 'would be deleted (dry run)' : 'are deleted';
  return `Recovered: for ${inSeconds(duration)}, dependants in crash-loop back-off ${outcome}.`;
}

function closedNote(closed: Extract<WeederEvent, { readonly type: 'window.closed' }>, isDryRun: boolean): string {
  const { deleted, skipped, failed, neverStarted = [] } = closed;
  const outcome = isDryRun ? 'would have been deleted (dry run)' : 'deleted';
  const counts = `Window closed: ${deleted} ${deleted === 1 ? 'pod' : 'pods'} ${outcome}, ${skipped} skipped`;
  const lost = failed.length === 0 ? '' : `, ${failed.length} failed: ${listed(failed)}`;
  if (neverStarted.length === 0) return `${counts}${lost}.`;
  const names = neverStarted.map(({ namespace, name, reason }) => `${namespace}/${name} (${reason})`);
  return `${counts}${lost}. Never started, and not deleted, as a new pod would not start either: ${listed(names)}.`;
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

function deletedNote(event: Extract<WeederEvent, { type: 'pod.deleted' }>, clock: Clock): string {
  const { pod, how } = event;
  const { container, cause, restarts } = pod;
  const left = backOffLeft(pod, clock.now());
  const state = cause === 'silent' ? 'was in unreported back-off' : 'was in CrashLoopBackOff';
  const times = `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
  const rest = left === undefined ? '' : `, with ${inSeconds(left)} of its back-off left`;
  return `${reasonByMethod[how].words}, because ${servicesOf(event)} recovered: container ${container} ${state} after ${times}${rest}.`;
}

/** `service etcd`, with its namespace if that is not the pod's own; all services if several recovered. */
function servicesOf(
  event: WindowRef & { readonly pod: CrashLoopingPod; readonly also?: readonly WindowRef[] },
): string {
  const names = [event, ...(event.also ?? [])].map(({ namespace, service }) =>
    namespace === event.pod.namespace ? service : `${namespace}/${service}`,
  );
  const unique = [...new Set(names)];
  return `${unique.length === 1 ? 'service' : 'services'} ${unique.join(' and ')}`;
}

function inSeconds(duration: number): string {
  return formatDuration(Math.round(duration / 1_000) * 1_000);
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
