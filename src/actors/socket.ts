import type { Clock } from '../base/clock.ts';

/** One way, to an inspector that may come and go. */
interface InspectorSocket {
  start(): void;
  stop(): void;
  /** Leaves the message out while nobody is there to take it. */
  send(message: object): void;
}

interface SocketOptions {
  /** `ws://…` or `wss://…` */
  readonly url: string;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** There is an inspector, which knows nothing yet. */
  readonly onOpen: () => void;
  /** There is none, or there is none any more. */
  readonly onClose: () => void;
  /** It does not keep up: what waits for it is as much as may wait. Told once for each connection. */
  readonly onSlow: () => void;
}

/** Milliseconds from one attempt to the next. */
export const retryAfter = 5_000;
/** Bytes that may wait for an inspector that is slow to read. */
const mostWaiting = 16 * 2 ** 20;

/** Connects, and connects again, until it is stopped. */
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
    // An attempt that fails ends with this, too.
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
      if (socket.bufferedAmount < mostWaiting) socket.send(JSON.stringify(message));
      else if (!isSlow) {
        isSlow = true;
        onSlow();
      }
    },
  };
}
