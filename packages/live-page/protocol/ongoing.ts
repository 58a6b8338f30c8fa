import type { Moment } from './moment.ts';

/** The fields of a moment that show whether something began or ended. */
type Turn = Pick<Moment, 'what' | 'about'> & { readonly window?: number | undefined };

/** The discarded moments that began an outage or a window that has not ended. */
interface Ongoing<T extends Turn> {
  /** Called with the moments in order. */
  note(moment: T): void;
  /** In the order in which they began. */
  all(): T[];
  /** A service that no longer exists has neither an outage nor a window. */
  drop(about: string): void;
}

/** The maximum number of services: the oldest entries are dropped first. */
const max = 20_000;

export function createOngoing<T extends Turn>(): Ongoing<T> {
  const begun = new Map<string, T>();

  function begin(kind: string, moment: T): void {
    const key = `${kind} ${moment.about}`;
    begun.delete(key);
    begun.set(key, moment);
    for (const oldest of begun.keys()) {
      if (begun.size <= max) break;
      begun.delete(oldest);
    }
  }

  return {
    note(moment) {
      const { what, about, window } = moment;
      if (what === 'service.notReady') {
        if (!begun.has(`outage ${about}`)) begin('outage', moment);
      } else if (what === 'service.ready') begun.delete(`outage ${about}`);
      else if (what === 'window.closed') {
        // A window that was replaced closes after the next one has opened.
        if (begun.get(`window ${about}`)?.window === window) begun.delete(`window ${about}`);
      } else if (what === 'window.opened') {
        begun.delete(`outage ${about}`);
        begin('window', moment);
      }
    },
    all: () => [...begun.values()],
    drop(about) {
      begun.delete(`outage ${about}`);
      begun.delete(`window ${about}`);
    },
  };
}
