import type { Clock } from '../../base/clock.ts';

/** Where nothing is told of a rollout, it is looked at again after this time. Milliseconds. */
export const lookEvery = 5_000;

/** For how long something has said the same, in milliseconds: 0 where it says something else than before. */
export function createStillness({ monotonic }: Pick<Clock, 'monotonic'>): (text: string) => number {
  let said = '';
  let since = monotonic();
  return (text) => {
    if (text !== said) since = monotonic();
    said = text;
    return monotonic() - since;
  };
}
