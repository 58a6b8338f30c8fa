import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import type { TestNamespace } from '../namespace.ts';
import { createNode } from './node.ts';
import { startHttpsServer } from './ports.ts';

/**
 * Starts a node whose kubelet only forwards ports, by `v4.channel.k8s.io`, and returns its name. `ports`: where on
 * loopback each port of every pod is; nothing listens on other ports.
 */
export async function startForwardKubelet(
  t: Cleanup,
  ns: TestNamespace,
  ports: Readonly<Record<number, number>>,
): Promise<string> {
  const { cluster } = ns;
  const { server, port } = await startHttpsServer(t, cluster);
  const open = new Set<Duplex>();
  server.on('upgrade', ({ url = '', headers }, socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    const key = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const accept = `Sec-WebSocket-Accept: ${key.digest('base64')}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`);
    const asked = Number(new URL(url, 'https://node').searchParams.get('port'));
    forward(socket, asked, ports[asked]);
  });
  cleanUp(t, () => {
    for (const socket of open) socket.destroy();
  });
  const name = `forwarding-${ns.name}`;
  await createNode(t, cluster, name, port);
  return name;
}

/** As a kubelet does: first the port on both channels, and then what the connection yields, or why there is none. */
function forward(socket: Duplex, asked: number, port: number | undefined): void {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16LE(asked);
  for (const channel of [0, 1]) socket.write(frame(channel, prefix));
  if (port === undefined) {
    socket.write(frame(1, Buffer.from(`an error occurred forwarding ${asked}: dial tcp4: connection refused`)));
    return;
  }
  const target = connect(port, '127.0.0.1');
  target.on('data', (bytes: Buffer) => socket.write(frame(0, bytes)));
  target.on('error', () => socket.destroy()).on('end', () => socket.destroy());
  let pending = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    for (let read = clientFrame(pending); read !== undefined; read = clientFrame(pending)) {
      pending = pending.subarray(read.size);
      if (read.payload[0] === 0) target.write(read.payload.subarray(1));
    }
  });
  socket.on('close', () => target.destroy());
}

/** A frame of less than 64 KiB, without its mask; undefined: it has not arrived as a whole. */
function clientFrame(bytes: Buffer) {
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short < 126 ? 2 : 4;
  if (bytes.length < start + 4) return undefined;
  const length = short < 126 ? short : bytes.readUInt16BE(2);
  const [mask, size] = [bytes.subarray(start, start + 4), start + 4 + length];
  if (bytes.length < size) return undefined;
  return { size, payload: bytes.subarray(start + 4, size).map((byte, at) => byte ^ (mask[at % 4] ?? 0)) };
}

function frame(channel: number, bytes: Buffer): Buffer {
  const length = bytes.length + 1;
  const head = length < 126 ? Buffer.of(0x82, length) : Buffer.alloc(10);
  if (length >= 126) {
    head[0] = 0x82;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.of(channel), bytes]);
}
