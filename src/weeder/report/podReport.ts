import { timeInSeconds } from '@weeder/kube-runtime/base';
import { withFullStop } from '../../controller/report/wording.ts';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { deletedBy, deletedNote, failedNote, recoveryOf, whyWaits } from './wording.ts';

/** What was reported last of the deletion of a pod. */
export interface PodReport {
  readonly uid: string;
  /** `left`: it recovered, or is gone without weeder. `refused`: the deletion is tried again. */
  readonly type: 'deleted' | 'notDeleted' | 'refused' | 'left';
  readonly sentence: string;
}

/** An Event about a pod, as weeder has written it. `uid`: that of the pod. `at`: epoch milliseconds. */
export interface WrittenEvent {
  readonly uid: string;
  readonly reason: string;
  readonly note: string;
  readonly at: number;
}

/** The events after which the state of the pod no longer shows what has happened, or does not show why. */
type ReportedEvent = Extract<
  WeederEvent,
  { readonly type: 'pod.deleted' | 'pod.recovered' | 'pod.removed' | `deletion.${'expired' | 'failed' | 'refused'}` }
>;

/** `at`: epoch milliseconds. */
export function podReportOf(event: ReportedEvent, at: number): PodReport {
  return { uid: event.pod.uid, ...outcomeOf(event, at) };
}

function outcomeOf(event: ReportedEvent, at: number): Omit<PodReport, 'uid'> {
  switch (event.type) {
    case 'pod.deleted':
      return { type: 'deleted', sentence: deletedAt(deletedNote(event, at), at) };
    case 'deletion.failed':
      return { type: 'notDeleted', sentence: failedNote(event) };
    case 'deletion.expired': {
      const because = `the window closed first, and ${whyWaits(event.reason, event.pod)}`;
      return { type: 'notDeleted', sentence: `Not deleted after ${recoveryOf(event)}: ${because}.` };
    }
    case 'deletion.refused':
      return { type: 'refused', sentence: withFullStop(`Refused, and tried again: ${event.reason}`) };
    case 'pod.recovered': {
      const what = event.pod.cause === 'imagePull' ? 'wait for its image' : 'crash-loop';
      return { type: 'left', sentence: `Not deleted: at ${timeInSeconds(at)} it did not ${what} any more.` };
    }
    case 'pod.removed':
      return {
        type: 'left',
        sentence: `Not deleted by weeder: at ${timeInSeconds(at)} another client had deleted it, or no service selected it any more.`,
      };
  }
}

/** What an Event of weeder about a pod reports. Undefined: the state of the pod says more. */
export function podReportFrom({ uid, reason, note, at }: WrittenEvent): PodReport | undefined {
  if (deletionReasons.includes(reason)) return { uid, type: 'deleted', sentence: deletedAt(note, at) };
  return reason === 'DeletionFailed' ? { uid, type: 'notDeleted', sentence: note } : undefined;
}

const deletionReasons: readonly string[] = Object.values(deletedBy).map(({ content }) => content.reason);

/** The note of the Event, `Deleted, because …. It last …`, as one sentence with its time: epoch milliseconds. */
function deletedAt(note: string, at: number): string {
  return note.replace(',', ` at ${timeInSeconds(at)},`).replace('. It last ', '; it last ');
}
