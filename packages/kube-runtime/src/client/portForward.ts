import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ClusterAccess } from '../access/clusterAccess.ts';
import { credentialSource } from '../access/credentials.ts';
import type { Clock } from '../base/clock.ts';
import { failed, ok, type Result } from '../base/result.ts';
import { apiPath } from '../objects/apiPath.ts';
import { createDispatcher } from './transport.ts';
import { clientFrame, frameReader, opcodes } from './webSocketFrames.ts';

/** A port of a pod. */
interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/**
 * Connects to ports of pods through the API server and the kubelet, as `kubectl port-forward` does: also to those that
 * listen on loopback, and past every NetworkPolicy.
 */
export interface PortForward {
  /** A connection, which fails later if nothing listens on the port; or a clause that says why there is none. */
  open(to: PodPort): Promise<Result<Duplex, string>>;
  close(): Promise<void>;
}

/** The path of the subresource. */
function portForwardPath({ namespace, pod }: Omit<PodPort, 'port'>): string {
  return apiPath('v1', 'pods', { namespace, name: pod, subresource: 'portforward' });
}

/** The protocol that all kubelets speak: each message begins with its channel, and each channel with the port. */
const protocol = 'v4.channel.k8s.io';
const dataChannel = 0;
const portBytes = 2;
const openWithinMs = 10_000;
const forbidden = 'you may not get and create pods/portforward';

export function createPortForward(access: ClusterAccess, clock: Clock): PortForward {
  const credentials = credentialSource(access, clock);
  let dispatcher: Dispatcher | undefined;

  return {
    async open(to) {
      const current = await credentials.current();
      if (!current.ok) return current;
      // Only a connection of HTTP/1.1 is upgraded.
      dispatcher ??= createDispatcher(access, current.value, { allowH2: false });
      const { origin, pathname } = new URL(access.server);
      const socket = await upgraded(dispatcher, {
        origin,
        path: `${pathname.replace(/\/$/, '')}${portForwardPath(to)}?ports=${to.port}`,
        method: 'GET',
        upgrade: 'websocket',
        headers: {
          ...current.value.headers,
          'sec-websocket-key': randomBytes(16).toString('base64'),
          'sec-websocket-version': '13',
          'sec-websocket-protocol': protocol,
        },
      });
      return socket.ok ? ok(streamOver(socket.value)) : socket;
    },
    async close() {
      await dispatcher?.destroy().catch(() => undefined);
    },
  };
}

function upgraded(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<Result<Duplex, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<Duplex, string>>();
  const refuse = (why: string) => resolve(failed(`the port is not forwarded (${why})`));
  const timer = setTimeout(() => refuse('no answer'), openWithinMs);
  dispatcher.dispatch(request, {
    onRequestStart: () => {},
    onRequestUpgrade: (_controller, _status, _headers, socket) => resolve(ok(socket)),
    onResponseStart: (controller, status) => {
      refuse(status === 403 ? forbidden : `status ${status}`);
      controller.abort(new Error('it is not upgraded'));
    },
    onResponseData: () => {},
    onResponseEnd: () => {},
    onResponseError: (_controller, error) => refuse(error.message),
  });
  return promise.finally(() => clearTimeout(timer));
}

/** The bytes on the data channel. What arrives on the other one is why the connection cannot be made or has broken. */
function streamOver(socket: Duplex): Duplex {
  const begun = new Set<number>();
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      socket.write(clientFrame(opcodes.binary, Buffer.concat([Buffer.of(dataChannel), chunk])));
      done();
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });

  function onMessage(opcode: number, message: Buffer): void {
    if (opcode === opcodes.ping) socket.write(clientFrame(opcodes.pong, message));
    if (opcode === opcodes.close) stream.push(null);
    if (opcode !== opcodes.binary) return;
    const [channel = dataChannel] = message;
    const bytes = message.subarray(begun.has(channel) ? 1 : 1 + portBytes);
    begun.add(channel);
    if (bytes.length === 0) return;
    if (channel === dataChannel) stream.push(bytes);
    else stream.destroy(new Error(bytes.toString('utf8').trim()));
  }

  socket.on('data', frameReader(onMessage));
  socket.on('end', () => stream.push(null));
  socket.on('error', (error) => stream.destroy(error));
  return stream;
}
