import type { ConnectionState } from './connection.ts';
import { byId, setText } from './dom.ts';

export interface Status {
  connection(state: ConnectionState): void;
  hello(version: string, mode: 'live' | 'replay'): void;
  /** Says something to who does not see the page. Never more than is worth an interruption. */
  announce(text: string): void;
}

/** What the page is connected to, and how. */
export function createStatus(): Status {
  const chip = byId('connection', HTMLElement);
  const announcements = byId('announcements', HTMLElement);
  let version: string | undefined;
  let state: ConnectionState = 'connecting';

  function announce(text: string): void {
    setText(announcements, text);
  }

  return {
    connection(changed) {
      if (changed === state) return;
      if (changed === 'reconnecting') announce('The connection is lost, trying again.');
      else if (state === 'reconnecting') announce('Connected again.');
      state = changed;
      chip.dataset['connection'] = changed;
      setText(chip, changed === 'live' ? 'connected' : changed);
    },
    hello(its, mode) {
      // Another weeder than the one that this page is from: its page may be another one, too.
      if (version !== undefined && version !== its) location.reload();
      version = its;
      setText(byId('version', HTMLElement), its);
      setText(byId('mode', HTMLElement), mode);
      byId('mode', HTMLElement).dataset['mode'] = mode;
    },
    announce,
  };
}
