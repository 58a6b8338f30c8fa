import { sizeOf } from '@weeder/kube-runtime/events';
import type { Notification } from './formats.ts';

/** What waits for one receiver, the oldest first: limited in number and bytes. */
interface Backlog {
  /**
   * Appends it, and returns how many are lost for it: the oldest of the namespace that has the most bytes, but none of
   * the first `kept`.
   */
  put(notification: Notification, kept: number): number;
  first(count: number): readonly Notification[];
  /** Removes the first. */
  remove(count: number): void;
  readonly size: number;
}

const maxWaiting = 5_000;
/** Those 5,000, as weeder usually writes them, have half of it; of the largest it has 2,000. */
const maxBytes = 4 << 20;

export function createBacklog(): Backlog {
  const queue: Notification[] = [];
  const bytes = new Map<string, number>();
  let sum = 0;

  function weigh({ occurrence }: Notification, sign: 1 | -1): void {
    const { namespace } = occurrence.regarding;
    const by = sign * sizeOf(occurrence);
    const left = (bytes.get(namespace) ?? 0) + by;
    sum += by;
    if (left > 0) bytes.set(namespace, left);
    else bytes.delete(namespace);
  }

  function remove(from: number, count: number): void {
    for (const each of queue.splice(from, count)) weigh(each, -1);
  }

  /** The oldest after the first `kept` of the namespace that has the most, or of all; -1: there is none. */
  function surplus(kept: number): number {
    let [largest, most] = ['', 0];
    for (const [namespace, size] of bytes) if (size > most) [largest, most] = [namespace, size];
    const index = queue.findIndex(
      ({ occurrence }, position) => position >= kept && occurrence.regarding.namespace === largest,
    );
    return index >= 0 || queue.length <= kept ? index : kept;
  }

  return {
    put(notification, kept) {
      queue.push(notification);
      weigh(notification, 1);
      let lost = 0;
      while (queue.length > maxWaiting || sum > maxBytes) {
        const index = surplus(kept);
        if (index < 0) break;
        remove(index, 1);
        lost += 1;
      }
      return lost;
    },
    first: (count) => queue.slice(0, count),
    remove: (count) => remove(0, count),
    get size() {
      return queue.length;
    },
  };
}
