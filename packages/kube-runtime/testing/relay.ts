import { connect, createServer, type Socket } from 'node:net';

/** A relay between clients and a server on this machine, which can disturb their connections as networks do. */
export function createRelay(backend: number) {
  const open = new Set<Socket>();
  const frozen = new Set<Socket>();
  const accepted = new Set<Socket>();
  let count = 0;
  let isAllFrozen = false;

  function pass(from: Socket, to: Socket): void {
    open.add(from);
    from.on('data', (bytes) => frozen.has(from) || to.write(bytes));
    from.on('error', () => undefined);
    from.on('close', () => {
      open.delete(from);
      accepted.delete(from);
      // A half-open connection stays open for the other side.
      if (!frozen.delete(from)) to.destroy();
    });
  }

  const server = createServer((client) => {
    count += 1;
    accepted.add(client);
    const upstream = connect(backend, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
    if (isAllFrozen) for (const socket of [client, upstream]) frozen.add(socket);
  });
  function freeze(): void {
    for (const socket of open) frozen.add(socket);
  }

  return {
    server,
    /** The number of TCP connections ever accepted. */
    count: () => count,
    /** The number of connections that the client has not closed. */
    openCount: () => accepted.size,
    /** From now on the existing connections pass no bytes, and stay open: half-open. */
    freeze,
    /** Freezes the connections made before `unfreeze`, too: they are only accepted. */
    freezeAll() {
      isAllFrozen = true;
      freeze();
    },
    unfreeze() {
      isAllFrozen = false;
    },
    /** Breaks every connection. */
    cut() {
      for (const socket of open) socket.destroy();
    },
  };
}
