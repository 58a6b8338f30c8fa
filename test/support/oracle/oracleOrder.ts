import type { Case, Due } from './oracle.ts';
import { isForgotten } from './oracleAttempts.ts';

/** Deletions that were requested before those of pods that had surely been waiting for longer. */
export function overtakings(cases: readonly Case[]): string[] {
  return cases.flatMap((one) =>
    one.attempts.flatMap(({ at }) => {
      const t = one.entries[at]?.t ?? 0;
      const since = waitingSince(one, at - 1, 'may') ?? t;
      return cases
        .filter((other) => other !== one && (waitingSince(other, at - 1, 'must') ?? t) < since)
        .map(({ uid }) => `${one.uid}, requested at ${t} before ${uid}, which was due earlier`);
    }),
  );
}

/** Since when, at this place, the pod may have been, or must have been due without a break; undefined: it is not. */
function waitingSince({ entries, requests, dues }: Case, index: number, which: keyof Due): number | undefined {
  let since: number | undefined;
  for (let at = index; at >= 0; at -= 1) {
    const due = dues[at]?.[which] ?? Number.POSITIVE_INFINITY;
    const now = entries[at]?.t ?? 0;
    const until = entries[at + 1]?.what === 'awake' ? now : (entries[at + 1]?.t ?? now);
    if (due > until) return since;
    // Only once time has passed, its timers have surely run.
    if (which === 'may' || until > now) since = Math.max(due, now);
    // A window that releases a pod before another one selects it costs the pod its place.
    const isNew = which === 'must' && isForgotten(entries, requests, at - 1, at) !== 'no';
    if (due > now || isNew) return since;
  }
  return since;
}
