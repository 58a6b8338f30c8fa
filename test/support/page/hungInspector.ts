import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listen } from '@weeder/kube-runtime/testing';

/** An inspector that accepts connections, and then neither reads from them nor closes them. */
export interface HungInspector extends AsyncDisposable {
  readonly url: string;
}

export async function hungInspector(): Promise<HungInspector> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', (request) => {
      socket.pause();
      socket.write(`${acceptance(String(request)).join('\r\n')}\r\n\r\n`);
    });
  });
  return {
    url: `ws://127.0.0.1:${await listen(server)}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The response that upgrades a request to a WebSocket (RFC 6455, 4.2.2). */
function acceptance(request: string): string[] {
  const key = /sec-websocket-key: (.*)\r/i.exec(request)?.[1];
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const headers = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
  return ['HTTP/1.1 101 Switching Protocols', ...headers];
}
