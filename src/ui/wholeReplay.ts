import { instant, type Moment } from '@weeder/live-page';
import { contributions } from '../controllers/controllers.ts';
import { objectOf } from '../recording/events.ts';
import { type Playable, playAll } from '../replay/playable.ts';
import { type Difference, differences, isDeviation } from '../replay/recorded/compare.ts';
import { differenceWords } from '../replay/recorded/timeline.ts';

/** Everything that happens in a replay, oldest first, and where it differs from what was recorded. */
export async function momentsOf(playable: Playable): Promise<readonly Moment[]> {
  const { startedAt, endedAt, recorded } = playable;
  const moments: Moment[] = [];
  const replayed = await playAll(playable, (of, event, t) => {
    const moment = contributions[of].momentOf(event, startedAt + t);
    if (moment !== undefined) moments.push(moment);
  });
  if (recorded === undefined) return moments;
  const found = differences({ startedAt, endedAt, recorded, replayed }).filter(isDeviation);
  return [...moments, ...found.map((each) => differenceMoment(each, startedAt))].sort((a, b) => a.t - b.t);
}

/** It says what `weeder replay` prints without the page. */
function differenceMoment(difference: Difference, startedAt: number): Moment {
  const { event } = difference;
  const { t, pod, detail } = event;
  const words = differenceWords(difference, (time) => instant(startedAt + time));
  const named = pod === undefined ? {} : { pod };
  return { t: startedAt + t, what: 'decision.differs', words, about: objectOf(event), ...named, detail };
}
