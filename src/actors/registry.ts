import type { AnyActor } from 'xstate';

/** Root actors of one machine, by key, each with what its controller stores of it. */
interface Registry<TEntry extends { readonly actor: AnyActor }> {
  get(key: string): TEntry | undefined;
  /** Stores the entry, and then starts its actor, whose first effects may already read the entry. */
  add(key: string, entry: TEntry): void;
  /** Drops the entry, and then stops its actor. */
  remove(key: string): void;
  /** Removes every entry. */
  stop(): void;
  keys(): Iterable<string>;
  entries(): Iterable<TEntry>;
  actors(): Iterable<TEntry['actor']>;
  readonly size: number;
}

interface RegistryOptions<TEntry> {
  /** Called when an entry has been stored, before its actor is started. */
  readonly added?: (key: string, entry: TEntry) => void;
  /** Called with each new snapshot of an actor. */
  readonly changed?: (key: string, entry: TEntry) => void;
  /** Called when an actor is done; by default its entry is removed. */
  readonly done?: (key: string, entry: TEntry) => void;
  /** Called when an entry has been dropped, before its actor is stopped or its failure is passed on. */
  readonly dropped?: (key: string, entry: TEntry) => void;
  /** Called when an actor has failed, which is a bug in weeder. Its entry has been removed. */
  readonly failed: (key: string, error: unknown, entry: TEntry) => void;
}

export function createRegistry<TEntry extends { readonly actor: AnyActor }>(
  options: RegistryOptions<TEntry>,
): Registry<TEntry> {
  const entries = new Map<string, TEntry>();

  function drop(key: string, entry: TEntry): void {
    entries.delete(key);
    options.dropped?.(key, entry);
  }

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    drop(key, entry);
    entry.actor.stop();
  }

  return {
    get: (key) => entries.get(key),
    add(key, entry) {
      const { added, changed, done = remove, failed } = options;
      /** A replaced entry does not affect the one that replaced it. */
      const isCurrent = () => entries.get(key) === entry;
      entries.set(key, entry);
      added?.(key, entry);
      entry.actor.subscribe({
        next: () => {
          if (isCurrent()) changed?.(key, entry);
        },
        complete: () => {
          if (isCurrent()) done(key, entry);
        },
        error: (error) => {
          if (isCurrent()) drop(key, entry);
          failed(key, error, entry);
        },
      });
      entry.actor.start();
    },
    remove,
    stop() {
      for (const key of [...entries.keys()]) remove(key);
    },
    keys: () => entries.keys(),
    entries: () => entries.values(),
    *actors() {
      for (const { actor } of entries.values()) yield actor;
    },
    get size() {
      return entries.size;
    },
  };
}
