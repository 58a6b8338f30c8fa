import type { Moment } from './protocol.ts';

/** What of a moment says whether something began or ended. */
type Turn = Pick<Moment, 'what' | 'about'>;

/** Of moments that are forgotten, those that opened what still lasts: an outage, a window. */
interface Ongoing<T extends Turn> {
  /** Told of moments in their order. */
  note(moment: T): void;
  /** In the order in which they began. */
  all(): T[];
  /** A service that is gone has neither outage nor window. */
  drop(about: string): void;
}

/** Of so many services: those that have waited longest are forgotten first. */
const most = 20_000;

export function createOngoing<T extends Turn>(): Ongoing<T> {
  const begun = new Map<string, T>();

  function begin(kind: string, moment: T): void {
    const key = `${kind} ${moment.about}`;
    begun.delete(key);
    begun.set(key, moment);
    for (const oldest of begun.keys()) {
      if (begun.size <= most) break;
      begun.delete(oldest);
    }
  }

  return {
    note(moment) {
      const { what, about } = moment;
      if (what === 'service.notReady') {
        if (!begun.has(`outage ${about}`)) begin('outage', moment);
      } else if (what === 'service.ready') begun.delete(`outage ${about}`);
      else if (what === 'window.closed') begun.delete(`window ${about}`);
      else if (what === 'window.opened') {
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
