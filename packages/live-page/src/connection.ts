import type { PageMessage } from '../protocol/protocol.ts';

/**
 * `broken`: the server is not reachable; `silent`: it sends nothing; `refused`: it accepts no more pages. In all three
 * states the page tries to connect again.
 */
export type ConnectionState = 'connecting' | 'live' | 'broken' | 'silent' | 'refused';

interface ConnectionOptions {
  readonly onMessage: (message: PageMessage) => void;
  readonly onState: (state: ConnectionState) => void;
}

/** All types of messages. The type checker ensures that the list is complete. */
const types: Readonly<Record<PageMessage['type'], true>> = {
  hello: true,
  beat: true,
  leadership: true,
  process: true,
  services: true,
  service: true,
  serviceRemoved: true,
  history: true,
  moment: true,
  actor: true,
  actorStopped: true,
  clock: true,
};

/** A server that sends nothing for this long hangs: it sends a heartbeat every two seconds. Milliseconds. */
const silence = 5000;
const pause = 1000;

/** The stream of messages. It is opened again after an error, a stall or a refusal. */
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
        // The same weeder has served the page and the message, so both were built with the same types.
        const message: PageMessage = JSON.parse(event.data);
        wait(silence, () => lost('silent'));
        if (message.type === 'hello') onState('live');
        onMessage(message);
      });
    }
    // The browser retries after a lost connection, but not after a refusal, and does not detect silence.
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
