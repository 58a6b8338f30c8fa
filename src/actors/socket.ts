import type { Clock } from '@weeder/kube-runtime/base';

/** A one-way connection to an inspector that may disconnect and reconnect. */
interface InspectorSocket {
  start(): void;
  stop(): void;
  /** Drops the message while no inspector is connected. */
  send(message: object): void;
}

interface SocketOptions {
  /** `ws://…` or `wss://…` */
  readonly url: string;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** An inspector has connected, and has no state yet. */
  readonly onOpen: () => void;
  /** No inspector is connected, or it has disconnected. */
  readonly onClose: () => void;
  /** The inspector is too slow: the buffer is full. Called once per connection. */
  readonly onSlow: () => void;
}

/** Milliseconds between two attempts. */
export const retryAfter = 5_000;
/** The maximum number of buffered bytes for a slow inspector. */
const maxWaiting = 16 * 2 ** 20;

/** Connects, and reconnects, until it is stopped. */
export function createInspectorSocket({ url, clock, onOpen, onClose, onSlow }: SocketOptions): InspectorSocket {
  let socket: WebSocket | undefined;
  let timer: ReturnType<Clock['setTimeout']> | undefined;
  let isStopped = false;
  let isSlow = false;

  function connect(): void {
    const next = new WebSocket(url);
    socket = next;
    isSlow = false;
    next.addEventListener('open', onOpen);
    // A failed attempt ends with this event, too.
    next.addEventListener('close', () => {
      if (isStopped) return;
      timer = clock.setTimeout(connect, retryAfter);
      onClose();
    });
  }

  return {
    start: connect,
    stop() {
      isStopped = true;
      clock.clearTimeout(timer);
      socket?.close();
    },
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount < maxWaiting) socket.send(JSON.stringify(message));
      else if (!isSlow) {
        isSlow = true;
        onSlow();
      }
    },
  };
}
