import type { ProcessEvent } from '../process/processLog.ts';
import { recordedEventsOf } from '../recording/weeder/recordedWeederEvent.ts';
import type { WeederEvent } from '../weeder/deletions/weederEvents.ts';
import { createOngoing } from './ongoing.ts';
import type { Moment } from './protocol.ts';

/** Moments as JSON texts: each is written once, however many pages show it. */
export interface History {
  add(moment: Moment): string;
  /**
   * Oldest first, as they are now: what is added later is not in it. In front stand the older ones that opened what
   * still lasts, of the services that exist.
   */
  texts(exists?: (about: string) => boolean): readonly string[];
  clear(): void;
}

interface Entry extends Pick<Moment, 't' | 'what' | 'about'> {
  readonly text: string;
}

/** How much of what happened is kept. */
interface HistoryLimits {
  /** Milliseconds. */
  readonly longest: number;
  /** Moments. */
  readonly most: number;
}

/** The timeline shows an hour, and a storm of facts may not take all the memory: about 5 MB. */
export const lastHour: HistoryLimits = { longest: 3_600_000, most: 20_000 };
/** Of a recording, which is in memory as a whole, and has an end. */
export const wholeRecording: HistoryLimits = { longest: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };

export function createHistory({ longest, most }: HistoryLimits): History {
  let underway = createOngoing<Entry>();
  let entries: Entry[] = [];
  let first = 0;

  /** What is too old is passed over, and cut off when it is half of all. */
  function forget(now: number): void {
    for (let oldest = entries[first]; oldest !== undefined; oldest = entries[first]) {
      if (entries.length - first <= most && oldest.t >= now - longest) break;
      underway.note(oldest);
      first += 1;
    }
    if (first <= entries.length / 2) return;
    entries = entries.slice(first);
    first = 0;
  }

  return {
    add(moment) {
      const { t, what, about } = moment;
      const text = JSON.stringify(moment);
      entries.push({ t, what, about, text });
      forget(t);
      return text;
    },
    texts(exists = () => true) {
      for (const { about } of underway.all()) if (!exists(about)) underway.drop(about);
      return [...underway.all(), ...entries.slice(first)].map(({ text }) => text);
    },
    clear() {
      underway = createOngoing();
      entries = [];
      first = 0;
    },
  };
}

/** A fact once for each window that it concerns. `t` is epoch milliseconds. */
export function momentsOf(fact: WeederEvent, t: number): Moment[] {
  return recordedEventsOf(fact).map(({ out, ...told }) => ({ t, what: out, ...told }));
}

export function processMoment(fact: ProcessEvent, t: number): Moment {
  return { t, what: fact.type, about: 'lease' in fact ? fact.lease : 'config', detail: detailOf(fact) };
}

function detailOf(fact: ProcessEvent): string {
  switch (fact.type) {
    case 'leadership.acquired':
      return fact.identity;
    case 'leadership.lost':
      return fact.reason;
    case 'leadership.standsBy':
      return fact.holder;
    case 'leadership.released':
      return '';
    case 'config.applied':
      return `generation ${fact.generation}`;
    case 'config.rejected':
      return fact.problem.message;
  }
}
