import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';

/** One open page. It costs a bounded amount of memory, however slowly its browser reads. */
export interface Connection {
  /** A message as text, written once for all pages. It is left out when the browser does not keep up. */
  send(text: string): void;
  /** The same for a message of many parts, which is written as quickly as it is read. */
  sendParts(parts: Iterable<string>): void;
  /** Writes everything anew. */
  renew(): void;
  /** Shows the browser that the connection lives; gives up one that has not read for a minute. Never left out. */
  heartbeat(text: string): void;
  /** How many messages were left out so far. */
  readonly leftOut: number;
  /** Bytes that wait to be read. */
  readonly waiting: number;
}

/** A browser that lags behind is told everything anew, and not more often than this. Milliseconds. */
const renewPause = 1000;
export const heartbeatEvery = 2000;
/** Heartbeats without anything being read: a minute. */
const patience = 30;

/**
 * `everything` gives what a page has to know, in parts: it is written at the start, and whenever messages had to be
 * left out. While the socket is full nothing is queued, it is only noted that something was missed.
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
    sendParts(its) {
      if (isBusy()) return;
      parts = its[Symbol.iterator]();
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
