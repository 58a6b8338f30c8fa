import { noLosses } from '@weeder/kube-runtime/events';
import type { StreamTotals } from '@weeder/kube-runtime/watch';
import type { ReceiverCounts } from '../notifications/receiver.ts';
import { limitedLabel, snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

/** The totals that a manager has counted since its start. */
interface CountingController {
  streamTotals(): ReadonlyMap<string, StreamTotals>;
  /** How many Events were not written, by cause. Undefined: no Events are recorded. */
  eventLosses(): Readonly<Record<string, number>> | undefined;
  /** By the name of the receiver. */
  notifications(): ReadonlyMap<string, ReceiverCounts>;
}

/** More receivers count together. */
const maxReceivers = 50;

/**
 * Adds the totals of managers to the metrics. Each manager starts at 0, and a new one follows when leadership is lost
 * and regained: only the increase since the last call is added, so that no counter ever decreases.
 */
export function countTotals(metrics: Metrics): (controller: CountingController) => void {
  for (const cause of Object.keys(noLosses)) metrics.eventsLost.inc({ cause: snakeCase(cause) }, 0);
  const receiverOf = limitedLabel(maxReceivers);
  const seen = new WeakMap<CountingController, Map<string, number>>();
  return (controller) => {
    const counted = seen.get(controller) ?? new Map<string, number>();
    seen.set(controller, counted);
    const newIn = (total: number, ...key: readonly string[]) => {
      const before = counted.get(key.join()) ?? 0;
      counted.set(key.join(), total);
      return total - before;
    };
    for (const [resource, { bytes, losses }] of controller.streamTotals()) {
      metrics.streamBytes.inc({ resource }, newIn(bytes, 'bytes', resource));
      for (const [reason, total] of Object.entries(losses))
        metrics.streamRestarts.inc({ resource, reason }, newIn(total, 'losses', resource, reason));
    }
    for (const [cause, total] of Object.entries(controller.eventLosses() ?? {}))
      metrics.eventsLost.inc({ cause: snakeCase(cause) }, newIn(total, 'events', cause));
    metrics.notificationsWaiting.reset();
    for (const [name, { sent, waiting, lost }] of controller.notifications()) {
      const receiver = receiverOf(name);
      metrics.notificationsWaiting.inc({ receiver }, waiting);
      metrics.notificationsSent.inc({ receiver }, newIn(sent, 'sent', name));
      for (const [cause, total] of Object.entries(lost))
        metrics.notificationsLost.inc({ receiver, cause: snakeCase(cause) }, newIn(total, 'lost', name, cause));
    }
  };
}
