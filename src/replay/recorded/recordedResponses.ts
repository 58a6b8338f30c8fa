/** Recorded answers for questions that a replay asks again, each kind of question in the order of its answers. */
interface Responses<T> {
  /** Resolves when the replay has come to the answer; at once, with `otherwise`, when the recording has none left. */
  ask(key: string, otherwise: T): Promise<T>;
  /** The replay has come to an answer. */
  give(key: string, answer: T): void;
  /** Drops the requests and responses with this key so far. */
  forget(key: string): void;
}

/**
 * `expected`: how many responses the recording has for each key. `isKept`: whether a response that was not requested yet
 * is kept for a later request; otherwise it answers all requests that are pending when it comes, and no others.
 */
export function createResponses<T>(
  expected: ReadonlyMap<string, number>,
  isKept: (key: string) => boolean = () => true,
): Responses<T> {
  const left = new Map(expected);
  const early = new Map<string, T[]>();
  const asked = new Map<string, ((answer: T) => void)[]>();

  return {
    ask(key, otherwise) {
      const known = early.get(key)?.splice(0, 1) ?? [];
      for (const answer of known) return Promise.resolve(answer);
      const waiting = asked.get(key) ?? [];
      if ((left.get(key) ?? 0) <= (isKept(key) ? waiting.length : 0)) return Promise.resolve(otherwise);
      asked.set(key, waiting);
      return new Promise((resolve) => waiting.push(resolve));
    },
    give(key, answer) {
      left.set(key, (left.get(key) ?? 0) - 1);
      const waiting = asked.get(key)?.splice(0, isKept(key) ? 1 : Number.POSITIVE_INFINITY) ?? [];
      for (const resolve of waiting) resolve(answer);
      if (waiting.length === 0 && isKept(key)) early.set(key, [...(early.get(key) ?? []), answer]);
    },
    forget(key) {
      asked.delete(key);
      early.delete(key);
    },
  };
}
