import { eventText } from './messages.ts';
import type { PageSource } from './pageSource.ts';
import { createProcessView, type ProcessFacts } from './views/processView.ts';

/** The messages about the process: its leadership, config and streams. */
interface ProcessMessages {
  /** Sends what has changed. */
  send(source: PageSource | undefined): void;
  /** The last ones, for a new page. */
  all(): Iterable<string>;
}

/** `process`: undefined in a replay. `send`: to every page. */
export function createProcessMessages(
  process: (() => ProcessFacts) | undefined,
  send: (text: string) => void,
): ProcessMessages {
  const processView = createProcessView();
  const sent = new Map<'leadership' | 'process', string>();

  function sendIfNew(type: 'leadership' | 'process', text: string): void {
    if (text !== sent.get(type)) send(text);
    sent.set(type, text);
  }

  return {
    send(source) {
      const current = source?.leadership?.();
      if (current !== undefined) {
        const { state, holder, heldSince } = current;
        sendIfNew('leadership', eventText({ type: 'leadership', state, holder, heldSince }));
      }
      if (process === undefined) return;
      const view = processView(process(), source?.streams?.() ?? []);
      sendIfNew('process', eventText({ type: 'process', process: view }));
    },
    all: () => sent.values(),
  };
}
