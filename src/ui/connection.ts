import type { ServerResponse } from 'node:http';
import type { Clock } from '@weeder/kube-runtime/base';

/** One open page. Its memory is bounded, even if its browser reads slowly. */
export interface Connection {
  /**
   * Sends a message, which is serialized once for all pages. The message is dropped if the browser does not keep up.
   */
  send(text: string): void;
  /** Sends a message of many parts, which are written as fast as they are read. */
  sendParts(parts: Iterable<string>): void;
  /** Sends the complete state again. */
  renew(): void;
  /** Shows the browser that the connection is alive, and closes one that has not read for a minute. Never dropped. */
  heartbeat(text: string): void;
  /** The number of dropped messages so far. */
  readonly leftOut: number;
  /** The number of buffered bytes. */
  readonly waiting: number;
}

/** A browser that lags behind gets the complete state again, at most this often. Milliseconds. */
const renewPause = 1000;
export const heartbeatEvery = 2000;
/** The number of heartbeats without any read: a minute. */
const patience = 30;

/**
 * `everything` yields the complete state for a page, in parts: it is sent at the start, and whenever messages had to be
 * dropped. While the socket is full nothing is queued; the connection only records that something was missed.
 */
export function createConnection(
  response: ServerResponse,
  everything: () => Iterable<string>,
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
): Connection {
  let parts: Iterator<string> | undefined;
  let isFull = false;
  let hasMissed = false;
  let leftOut = 0;
  let heartbeatsFull = 0;
  let timer: ReturnType<Clock['setTimeout']> | undefined;

  function write(text: string): void {
    if (response.destroyed || response.write(text)) return;
    isFull = true;
  }

  function pump(): void {
    while (parts !== undefined && !isFull && !response.destroyed) {
      const next = parts.next();
      if (next.done === true) parts = undefined;
      else write(next.value);
    }
    if (hasMissed && parts === undefined && !isFull) timer ??= clock.setTimeout(renew, renewPause);
  }

  function renew(): void {
    timer = undefined;
    if (parts !== undefined || isFull) return;
    hasMissed = false;
    parts = everything()[Symbol.iterator]();
    pump();
  }

  function isBusy(): boolean {
    if (parts === undefined && !isFull && !hasMissed) return false;
    leftOut += 1;
    hasMissed = true;
    return true;
  }

  response.on('drain', () => {
    isFull = false;
    heartbeatsFull = 0;
    pump();
  });
  response.on('close', () => clock.clearTimeout(timer));
  response.on('error', () => response.destroy());
  renew();
  return {
    renew() {
      if (!isBusy()) renew();
    },
    send(text) {
      if (!isBusy()) write(text);
    },
    sendParts(nextParts) {
      if (isBusy()) return;
      parts = nextParts[Symbol.iterator]();
      pump();
    },
    heartbeat(text) {
      if (!isFull) return write(text);
      heartbeatsFull += 1;
      if (heartbeatsFull >= patience) response.destroy();
    },
    get leftOut() {
      return leftOut;
    },
    get waiting() {
      return response.writableLength;
    },
  };
}
