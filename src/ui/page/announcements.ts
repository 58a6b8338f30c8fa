import type { Moment } from '../protocol.ts';

/** Announces important events to screen readers: outages, windows, failed deletions, restarts, application errors. */
interface Announcements {
  announce(moment: Moment): void;
}

const messages: Readonly<Record<string, (about: string) => string>> = {
  'service.notReady': (about) => `${about} is not ready`,
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

  function flush(): void {
    const more = gathered.length - max;
    announce(`${gathered.slice(0, max).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`);
    gathered = [];
  }

  return {
    announce({ what, about }) {
      const message = messages[what]?.(about);
      if (message === undefined) return;
      gathered.push(message);
      if (gathered.length === 1) setTimeout(flush, gathering);
    },
  };
}
