/** The objects of one stream, by key. */
export interface StreamObjects {
  /** A complete list starts. */
  begin(): void;
  /** The stream has delivered this object. */
  add(key: string): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  /**
   * The object was deleted, or the stream no longer selects it. Returns true if the stream had the object and no other
   * stream has it.
   */
  remove(key: string): boolean;
  /** The list is complete. Returns the objects that are not in it, and that no other stream has. */
  end(): string[];
  /** The stream is closed permanently. Returns the objects that no other stream has. */
  close(): string[];
  /** Whether a list is being read. */
  readonly isListing: boolean;
}

/**
 * The objects of several streams that may overlap: for a while when a config is replaced, or permanently. An object
 * exists as long as one of the streams has it.
 */
export function createSharedObjects(): { stream(): StreamObjects } {
  const streamCounts = new Map<string, number>();

  function release(key: string): boolean {
    const left = (streamCounts.get(key) ?? 1) - 1;
    if (left > 0) streamCounts.set(key, left);
    else streamCounts.delete(key);
    return left === 0;
  }

  function stream(): StreamObjects {
    const mine = new Set<string>();
    let listed: Set<string> | undefined;

    function drop(key: string): boolean {
      return mine.delete(key) && release(key);
    }

    return {
      begin() {
        listed = new Set();
      },
      add(key) {
        listed?.add(key);
        if (mine.has(key)) return;
        mine.add(key);
        streamCounts.set(key, (streamCounts.get(key) ?? 0) + 1);
      },
      has: (key) => mine.has(key),
      keys: () => mine.keys(),
      remove: drop,
      end() {
        const seen = listed;
        listed = undefined;
        return [...mine].filter((key) => seen?.has(key) === false && drop(key));
      },
      close: () => [...mine].filter(drop),
      get isListing() {
        return listed !== undefined;
      },
    };
  }

  return { stream };
}
