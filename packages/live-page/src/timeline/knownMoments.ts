import type { Moment } from '../../protocol/moment.ts';
import { createOngoing } from '../../protocol/ongoing.ts';

/** The moments that the page knows, oldest first: those of the last hour, or of a whole recording. */
interface KnownMoments {
  readonly list: () => readonly Moment[];
  all(moments: readonly Moment[]): void;
  one(moment: Moment, now: number): void;
  /** From now on, only `all` changes them. */
  keepRecording(): void;
}

export const hour = 3_600_000;
/** Expired moments are removed at this interval, because the removal reads all moments. */
const tidyEvery = 60_000;

export function createKnownMoments(): KnownMoments {
  let moments: Moment[] = [];
  let tidiedAt = 0;
  let isRecording = false;

  return {
    list: () => moments,
    all(newMoments) {
      // After a seek backwards weeder sends the recording again; the rows of its moments stay.
      if (isRecording && isSameList(moments, newMoments)) return;
      moments = [...newMoments];
    },
    one(moment, now) {
      if (isRecording) return;
      moments.push(moment);
      if (moments.length < 2000 || now - tidiedAt < tidyEvery) return;
      tidiedAt = now;
      moments = withoutExpired(moments, now - hour);
    },
    keepRecording() {
      isRecording = true;
    },
  };
}

/** Whether both are the history of the same recording. */
function isSameList(a: readonly Moment[], b: readonly Moment[]): boolean {
  return a.length === b.length && [0, -1].every((index) => a.at(index)?.t === b.at(index)?.t);
}

/** Removes older moments, except those that began an outage or a window that has not ended. */
function withoutExpired(moments: readonly Moment[], oldest: number): Moment[] {
  const underway = createOngoing<Moment>();
  for (const moment of moments) if (moment.t < oldest) underway.note(moment);
  return [...underway.all(), ...moments.filter(({ t }) => t >= oldest)];
}
