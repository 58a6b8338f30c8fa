import type { PageMessage } from '../../src/ui/protocol.ts';

export type ConnectionState = 'connecting' | 'live' | 'reconnecting';

export interface ConnectionOptions {
  readonly onMessage: (message: PageMessage) => void;
  readonly onState: (state: ConnectionState) => void;
}

/** Everything that can come, by its name: the type holds the list complete. */
const types: Readonly<Record<PageMessage['type'], true>> = {
  hello: true,
  services: true,
  service: true,
  serviceGone: true,
  history: true,
  moment: true,
  actor: true,
  actorGone: true,
  clock: true,
};

/** A new connection says hello at once, or it never will. Milliseconds. */
const helloWithin = 5000;
/** A browser is not shown the heartbeats: after such a silence it asks anew, which tells it everything. */
const silence = 30_000;
const pause = 1000;

/** The stream of messages. It never ends: what breaks, hangs or is refused is opened anew. */
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
        wait(silence, open);
        if (message.type === 'hello') onState('live');
        onMessage(message);
      });
    }
    opened.addEventListener('error', () => lost(opened));
    wait(helloWithin, () => lost(opened));
  }

  /** The browser connects by itself after a break; a refusal is final to it, and silence is nothing it sees. */
  function lost(which: EventSource): void {
    if (which !== source) return;
    which.close();
    onState('reconnecting');
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
