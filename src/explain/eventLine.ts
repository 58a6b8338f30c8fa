import { timeInSeconds } from '@weeder/kube-runtime/base';
import { printable } from '../base/printable.ts';
import type { WrittenEvent } from '../weeder/report/podReport.ts';

/** An Event of weeder below an answer. */
export function eventLine({ at, reason, note }: WrittenEvent): string {
  return `  Event ${timeInSeconds(at)} ${reason}: ${printable(note)}`;
}
