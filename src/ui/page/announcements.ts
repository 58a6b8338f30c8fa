import type { Moment } from '../protocol.ts';

/** Tells who does not see the page what is worth an interruption: outages, windows, deletions that failed, restarts, and applications in trouble. */
interface News {
  tell(moment: Moment): void;
}

const messages: Readonly<Record<string, (about: string) => string>> = {
  'service.notReady': (about) => `${about} is not ready`,
  'window.opened': (about) => `${about} recovered, a window is open`,
  'window.closed': (about) => `the window of ${about} is closed`,
  'workload.restarted': (about) => `${about} is restarted`,
  'workload.blocked': (about) => `the restart of ${about} is blocked`,
  'workload.stalled': (about) => `the rollout of ${about} stalled`,
  'resource.correctionBackOff': (about) => `somebody keeps changing a resource of ${about} back`,
  'application.invalid': (about) => `the spec of ${about} has faults`,
  'deletion.failed': (about) => `a deletion for ${about} failed`,
};

/** What comes within this time is said at once; milliseconds. */
const gathering = 1500;
/** So many are told one by one. */
const most = 3;

export function createNews(announce: (text: string) => void): News {
  let gathered: string[] = [];

  function say(): void {
    const more = gathered.length - most;
    announce(`${gathered.slice(0, most).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`);
    gathered = [];
  }

  return {
    tell({ what, about }) {
      const message = messages[what]?.(about);
      if (message === undefined) return;
      gathered.push(message);
      if (gathered.length === 1) setTimeout(say, gathering);
    },
  };
}
