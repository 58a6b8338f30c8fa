/**
 * Limits concurrent deletions: in order of arrival, each key once, at most `concurrency` at a time. The queue holds
 * only keys; the caller decides by the newest state when its turn comes.
 */
export interface DeletionQueue {
  /**
   * Appends the key to the queue, and calls `onTurn` once when it is this key's turn, possibly before `enter` returns.
   * The returned function releases the place, whether it was used or not. Throws if the key is already in the queue,
   * which is a bug of the caller.
   */
  enter(key: string, onTurn: () => void): () => void;
  /** Grants no further turns. */
  close(): void;
  /** Resolves when no key has a turn. */
  idle(): Promise<void>;
  readonly waiting: number;
  readonly active: number;
}

export function createDeletionQueue(concurrency: number): DeletionQueue {
  const waiting = new Map<string, () => void>();
  const active = new Set<string>();
  const idleWaiters: (() => void)[] = [];
  let isClosed = false;

  function grantSlots(): void {
    for (const [key, onTurn] of waiting) {
      if (isClosed || active.size >= concurrency) return;
      waiting.delete(key);
      active.add(key);
      onTurn();
    }
  }

  function leave(key: string): void {
    waiting.delete(key);
    if (!active.delete(key)) return;
    grantSlots();
    if (active.size === 0) for (const resolve of idleWaiters.splice(0)) resolve();
  }

  return {
    enter(key, onTurn) {
      if (waiting.has(key) || active.has(key)) throw new Error(`${key} is in the deletion queue already`);
      waiting.set(key, onTurn);
      grantSlots();
      let hasLeft = false;
      return () => {
        if (!hasLeft) leave(key);
        hasLeft = true;
      };
    },
    close() {
      isClosed = true;
    },
    idle: () => (active.size === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    get waiting() {
      return waiting.size;
    },
    get active() {
      return active.size;
    },
  };
}
