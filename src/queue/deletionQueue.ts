/**
 * Who may delete now: first come, first served, each key once, at most `concurrency` at a time. The queue holds
 * nothing but keys; whoever gets a turn decides by the newest state.
 */
export interface DeletionQueue {
  /**
   * Takes a place at the end, and calls `onTurn` once when it is this key's turn, which may be at once. The returned
   * function gives the place back, whether it was used or not. A key that is in the queue already is a mistake of the
   * caller, and throws.
   */
  enter(key: string, onTurn: () => void): () => void;
  /** Gives no turns any more. */
  close(): void;
  /** Resolves when nobody has a turn. */
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
