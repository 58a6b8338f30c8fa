/** Recorded responses to the requests of a replay; the responses with one key are used in their recorded order. */
export interface Responses<T> {
  /** Resolves when the replay reaches the response; immediately, with `otherwise`, if the recording has no more of them. */
  request(key: string, otherwise: T): Promise<T>;
  /** The replay has reached a response. */
  respond(key: string, response: T): void;
  /** Drops the requests and responses with this key so far. */
  forget(key: string): void;
}

/**
 * `expected`: how many responses the recording has for each key. `isStored`: whether a response without a pending request
 * is stored for a later request. Otherwise a response answers all requests that are pending when it comes, and no others.
 */
export function createResponses<T>(
  expected: ReadonlyMap<string, number>,
  isStored: (key: string) => boolean = () => true,
): Responses<T> {
  const left = new Map(expected);
  const early = new Map<string, T[]>();
  const requests = new Map<string, ((response: T) => void)[]>();

  return {
    request(key, otherwise) {
      const stored = early.get(key)?.splice(0, 1) ?? [];
      for (const response of stored) return Promise.resolve(response);
      const waiting = requests.get(key) ?? [];
      if ((left.get(key) ?? 0) <= (isStored(key) ? waiting.length : 0)) return Promise.resolve(otherwise);
      requests.set(key, waiting);
      return new Promise((resolve) => waiting.push(resolve));
    },
    respond(key, response) {
      left.set(key, (left.get(key) ?? 0) - 1);
      const waiting = requests.get(key)?.splice(0, isStored(key) ? 1 : Number.POSITIVE_INFINITY) ?? [];
      for (const resolve of waiting) resolve(response);
      if (waiting.length === 0 && isStored(key)) early.set(key, [...(early.get(key) ?? []), response]);
    },
    forget(key) {
      requests.delete(key);
      early.delete(key);
    },
  };
}
