import type { Health } from '../protocol/health.ts';
import type { LeadershipView } from '../protocol/protocol.ts';
import type { ConnectionState } from './connection.ts';
import { byId, setText } from './dom.ts';
import { instant } from './format.ts';
import { fullTime, setTimedText } from './times.ts';

interface Status {
  /** `receivedAt`: the time of the last message, by weeder's clock; undefined before the first one. */
  connection(state: ConnectionState, receivedAt: number | undefined): void;
  hello(version: string, mode: 'live' | 'replay', isDryRun: boolean): void;
  leadership(view: LeadershipView, now: number): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
}

const chips: Readonly<Record<ConnectionState, readonly [Health, string]>> = {
  connecting: ['unknown', 'connecting'],
  live: ['healthy', 'connected'],
  broken: ['degraded', 'not connected'],
  silent: ['degraded', 'no response'],
  refused: ['degraded', 'refused'],
};

const connectionMessages: Readonly<Record<'broken' | 'silent' | 'refused', string>> = {
  broken: 'The connection to weeder is lost',
  silent: 'weeder does not respond',
  refused: 'too many pages are open: the maximum is 16',
};

/** The header of the page: the version and mode of weeder, and the state of the connection. */
export function createStatus(): Status {
  const chip = byId('connection', HTMLElement);
  const notice = byId('notice', HTMLElement);
  const announcements = byId('announcements', HTMLElement);
  let version: string | undefined;
  let state: ConnectionState = 'connecting';

  function announce(text: string): void {
    setText(announcements, text);
  }

  return {
    connection(changed, receivedAt) {
      if (changed === state) return;
      const wasLost = state !== 'connecting';
      state = changed;
      chip.dataset['connection'] = changed;
      const [health, text] = chips[changed];
      chip.dataset['health'] = health;
      setText(chip, text);
      notice.hidden = changed === 'live' || changed === 'connecting';
      if (changed === 'live') {
        if (wasLost) announce('Connected again.');
      } else if (changed !== 'connecting') {
        const asOf = (at: (time: number) => string) =>
          receivedAt === undefined ? '' : ` The page shows the state of ${at(receivedAt)}.`;
        setTimedText(notice, `${connectionMessages[changed]}.${asOf(instant)} Retrying.`, receivedAt ?? 0);
        announce(`${connectionMessages[changed]}.${asOf(fullTime)}`);
      }
    },
    hello(newVersion, mode, isDryRun) {
      // Another version of weeder may serve another page.
      if (version !== undefined && version !== newVersion) location.reload();
      version = newVersion;
      setText(byId('version', HTMLElement), newVersion);
      const modes = [...(mode === 'replay' ? ['replay'] : []), ...(isDryRun ? ['dry run'] : [])];
      setText(byId('mode', HTMLElement), modes.join(', '));
      byId('dry-run', HTMLElement).hidden = !isDryRun;
      setText(byId('deleted', HTMLElement), isDryRun ? 'Would be deleted' : 'Deleted');
      setText(byId('retried', HTMLElement), isDryRun ? 'Would be retried' : 'Retried');
    },
    leadership(view, now) {
      const [chip, sentence] = leadershipTexts(view);
      const standby = byId('standby', HTMLElement);
      setText(byId('leadership', HTMLElement), chip);
      setTimedText(standby, sentence, now);
      standby.hidden = sentence === '';
      document.body.toggleAttribute('data-standby', sentence !== '');
    },
    announce,
  };
}

/** A chip, and a sentence that says why the views are empty; empty for the leader. */
function leadershipTexts({ state, holder, heldSince }: LeadershipView): readonly [string, string] {
  if (state === 'leading') return ['leader', ''];
  const term = heldSince === undefined ? '' : `, since ${instant(heldSince)}`;
  const leader = state === 'standingBy' && holder !== undefined ? `is ${holder}${term}` : 'is not known';
  return [
    'standby',
    `This weeder is a standby: the leader ${leader}. It watches only the Lease, and its views are empty.`,
  ];
}
