import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { TLSSocket } from 'node:tls';
import { objectOf } from '../base/json.ts';
import { SilentConnectionError } from './networkFailure.ts';

/** How often undici sends a PING on each HTTP/2 connection. The server answers immediately. */
export const pingMs = 10_000;
const defaultCheckMs = 5_000;
/**
 * The number of consecutive checks without a byte: 20 to 25 s. Checks are counted because a suspended process makes
 * none.
 */
const silentChecks = 4;
/** The diagnostics channel on which undici publishes each new connection. */
const connected = 'undici:client:connected';

/**
 * Closes the HTTP/2 connections to `host` (with its port) on which nothing arrives, not even the answer to a PING;
 * undici does not detect this. All requests on such a connection fail, and are retried on another one. Returns the
 * function that stops it. `checkMs` is the interval of the checks, in milliseconds.
 */
export function endSilentConnections(host: string, checkMs = defaultCheckMs): () => void {
  const sockets = new Map<TLSSocket, { bytes: number; checks: number }>();
  const timer = setInterval(() => {
    for (const [socket, last] of sockets) check(socket, last);
  }, checkMs).unref();

  function check(socket: TLSSocket, last: { bytes: number; checks: number }): void {
    last.checks = socket.bytesRead === last.bytes ? last.checks + 1 : 0;
    last.bytes = socket.bytesRead;
    if (last.checks >= silentChecks) socket.destroy(new SilentConnectionError(silentChecks * checkMs));
  }

  function onConnected(message: unknown): void {
    const { connectParams, socket } = objectOf(message);
    if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== 'h2') return;
    if (objectOf(connectParams)['host'] !== host) return;
    sockets.set(socket, { bytes: socket.bytesRead, checks: 0 });
    socket.once('close', () => sockets.delete(socket));
  }

  subscribe(connected, onConnected);
  return () => {
    unsubscribe(connected, onConnected);
    clearInterval(timer);
  };
}
