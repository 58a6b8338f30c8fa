import type { Moment, PageRef } from '@weeder/live-page';
import { createOngoing } from '@weeder/live-page';

/** Moments as JSON texts; each is serialized once, for all pages that show it. */
export interface History {
  add(moment: Moment): string;
  /**
   * A snapshot of the moments, oldest first. It starts with older moments that began an outage or a window that has not
   * ended, if the service exists.
   */
  texts(exists?: (about: string) => boolean): readonly string[];
  /** The newest moments of an object up to a time, at most `max`, oldest first. A replay knows later ones. */
  ofObject(page: PageRef, until: number, max: number): Moment[];
  /** The moments from a time, or since all are known, until another; epoch milliseconds. */
  counts(from: number, until: number): Counts;
}

interface Counts {
  readonly from: number;
  /** How many moments of each type there were. */
  readonly byType: ReadonlyMap<string, number>;
  /** The back-off that was saved; milliseconds. */
  readonly saved: number;
}

interface Entry extends Pick<Moment, 't' | 'what' | 'about' | 'page'> {
  readonly window: number | undefined;
  readonly pod: string | undefined;
  readonly saved: number;
  readonly text: string;
}

/** The limits of the history. */
interface HistoryLimits {
  /** Milliseconds. */
  readonly longest: number;
  /** The number of moments. */
  readonly max: number;
}

/** The timeline shows an hour, and a burst of events must not use all memory: about 5 MB. */
export const lastHour: HistoryLimits = { longest: 3_600_000, max: 20_000 };
/** For a recording, which is in memory as a whole, and finite. */
export const wholeRecording: HistoryLimits = { longest: Number.POSITIVE_INFINITY, max: Number.POSITIVE_INFINITY };

export function createHistory({ longest, max }: HistoryLimits): History {
  const underway = createOngoing<Entry>();
  let entries: Entry[] = [];
  let first = 0;

  /** Expired moments are skipped, and removed when they are half of all. */
  function forget(now: number): void {
    for (let oldest = entries[first]; oldest !== undefined; oldest = entries[first]) {
      if (entries.length - first <= max && oldest.t >= now - longest) break;
      underway.note(oldest);
      first += 1;
    }
    if (first <= entries.length / 2) return;
    entries = entries.slice(first);
    first = 0;
  }

  return {
    add(moment) {
      const { t, what, about, page, window, pod, saved = 0 } = moment;
      const text = JSON.stringify(moment);
      entries.push({ t, what, about, ...(page && { page }), window, pod, saved, text });
      forget(t);
      return text;
    },
    texts(exists = () => true) {
      for (const { about } of underway.all()) if (!exists(about)) underway.drop(about);
      return [...underway.all(), ...entries.slice(first)].map(({ text }) => text);
    },
    ofObject: (page, until, max) =>
      entries
        .slice(first)
        .filter((entry) => entry.t <= until && isOf(entry, page))
        .slice(-max)
        .map(({ text }) => JSON.parse(text)),
    counts(from, until) {
      const byType = new Map<string, number>();
      const known = entries.slice(first);
      const counted = known.filter(({ t }) => t >= from && t <= until);
      for (const { what } of counted) byType.set(what, (byType.get(what) ?? 0) + 1);
      const oldest = known.length >= max ? known[0]?.t : undefined;
      const saved = counted.reduce((sum, each) => sum + each.saved, 0);
      return { from: Math.max(from, oldest ?? from), byType, saved };
    },
  };
}

function isOf(entry: Entry, { type, id }: PageRef): boolean {
  return type === 'pod' ? entry.pod === id : entry.page?.type === type && entry.page.id === id;
}
