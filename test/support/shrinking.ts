import type fc from 'fast-check';
import { PreconditionFailure } from 'fast-check';

/**
 * A plugin of fast-check with which a property that has failed shrinks for at most `limit` milliseconds. It fails with the
 * smallest case found so far; the run that is under way ends first. A property that passes may take any time.
 */
export function shrinkingFor(limit: number, now = () => performance.now()): fc.Plugin<unknown> {
  return () => {
    let until = Number.POSITIVE_INFINITY;
    const noted = <R extends PreconditionFailure | fc.PropertyFailure | null>(result: R): R => {
      if (result !== null && !PreconditionFailure.isFailure(result)) until = Math.min(until, now() + limit);
      return result;
    };
    return {
      decorateRun: (run) => (value) => {
        if (now() >= until) return new PreconditionFailure(true);
        const result = run(value);
        return result instanceof Promise ? result.then(noted) : noted(result);
      },
    };
  };
}
