import type { PageMessage } from '../protocol.ts';

/**
 * `broken`: there is nothing that answers; `silent`: there is, and it says nothing; `refused`: it takes no more pages.
 * It is requested again in all three.
 */
export type ConnectionState = 'connecting' | 'live' | 'broken' | 'silent' | 'refused';

interface ConnectionOptions {
  readonly onMessage: (message: PageMessage) => void;
  readonly onState: (state: ConnectionState) => void;
}

/** Everything that can come, by its name: the type holds the list complete. */
const types: Readonly<Record<PageMessage['type'], true>> = {
  hello: true,
  beat: true,
  services: true,
  service: true,
  serviceGone: true,
  unseenServices: true,
  history: true,
  moment: true,
  actor: true,
  actorGone: true,
  clock: true,
};

/** A beat comes every two seconds, and a new connection says hello at once: who says nothing for so long hangs. */
const silence = 5000;
const pause = 1000;

/** The stream of messages. It never ends: after an error, a stall or a refusal it is opened again. */
export function connect({ onMessage, onState }: ConnectionOptions): { choose(actor: string | undefined): void } {
  let source: EventSource | undefined;
  let actor: string | undefined;
  let timer: number | undefined;

  function wait(milliseconds: number, next: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(next, milliseconds);
  }

  function open(): void {
    source?.close();
    const query = actor === undefined ? '' : `?${new URLSearchParams({ actor })}`;
    const opened = new EventSource(`/events${query}`);
    source = opened;
    for (const type of Object.keys(types)) {
      opened.addEventListener(type, (event) => {
        // What the same weeder wrote that the page came from: it is of the types that both were built with.
        const message: PageMessage = JSON.parse(event.data);
        wait(silence, () => lost('silent'));
        if (message.type === 'hello') onState('live');
        onMessage(message);
      });
    }
    // The browser connects by itself after a break; a refusal is final to it, and silence is nothing it sees.
    opened.addEventListener('error', () => {
      if (opened === source) lost(opened.readyState === EventSource.CLOSED ? 'refused' : 'broken');
    });
    wait(silence, () => lost('silent'));
  }

  function lost(state: ConnectionState): void {
    source?.close();
    onState(state);
    wait(pause, open);
  }

  open();
  return {
    choose(id) {
      if (id === actor) return;
      actor = id;
      open();
    },
  };
}
