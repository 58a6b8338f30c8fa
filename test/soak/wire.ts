import { connect, createServer, type Socket } from 'node:net';

/** The way from weeder to the API server, byte by byte, and what may happen to it. */
export interface Wire {
  readonly port: number;
  /** Every connection breaks; new ones are taken. */
  cut(): void;
  /** Nothing passes any more, and nothing breaks, until `release`: as when a firewall has forgotten the connections. */
  hold(): void;
  release(): void;
  /** New connections are refused at once, until `accept`; those that are open break. */
  refuse(): void;
  accept(): void;
  close(): Promise<void>;
}

/** A TCP proxy in front of a port of this machine: TLS passes through it unseen. */
export async function startWire(targetPort: number): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isHeld = false;
  let isRefusing = false;

  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.setNoDelay(true);
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => {
        if (!isHeld) from.resume();
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (isHeld) far.pause();
    else near.resume();
  });

  const cut = () => {
    for (const [near, far] of [...pairs]) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    cut,
    hold() {
      isHeld = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    release() {
      isHeld = false;
      for (const socket of [...pairs].flat()) socket.resume();
    },
    refuse() {
      isRefusing = true;
      cut();
    },
    accept() {
      isRefusing = false;
    },
    async close() {
      cut();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}
