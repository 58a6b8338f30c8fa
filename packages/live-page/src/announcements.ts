import type { Moment } from '../protocol/moment.ts';

/** Announces important events to screen readers: outages, windows, failed deletions, restarts, application errors. */
interface Announcements {
  announce(moment: Moment): void;
  /** The numbers of windows begin again if weeder was restarted. */
  forgetWindows(): void;
}

const messages: Readonly<Record<string, (about: string) => string>> = {
  'service.notReady': (about) => `${about} is down`,
  'window.opened': (about) => `${about} recovered, a window is open`,
  'window.closed': (about) => `the window of ${about} is closed`,
  'workload.restarted': (about) => `${about} is restarted`,
  'workload.blocked': (about) => `the restart of ${about} is blocked`,
  'workload.stalled': (about) => `the rollout of ${about} stalled`,
  'resource.correctionBackOff': (about) => `another client repeatedly overwrites a resource of ${about}`,
  'application.invalid': (about) => `the spec of ${about} has errors`,
  'deletion.failed': (about) => `a deletion for ${about} failed`,
};

/** Messages within this time are announced together; milliseconds. */
const gathering = 1500;
/** The maximum number of messages in one announcement. */
const max = 3;

export function createAnnouncements(announce: (text: string) => void): Announcements {
  let gathered: string[] = [];
  /** The numbers of the newest windows by service. */
  const newest = new Map<string, number>();

  function flush(): void {
    const more = gathered.length - max;
    announce(`${gathered.slice(0, max).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`);
    gathered = [];
  }

  return {
    announce({ what, about, window = 0 }) {
      const message = messages[what]?.(about);
      if (what === 'window.opened') newest.set(about, window);
      // A window that was replaced closes after the next one has opened.
      const isReplaced = what === 'window.closed' && window < (newest.get(about) ?? 0);
      if (message === undefined || isReplaced) return;
      gathered.push(message);
      if (gathered.length === 1) setTimeout(flush, gathering);
    },
    forgetWindows: () => newest.clear(),
  };
}
