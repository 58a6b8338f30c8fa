import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between clients and a server on this machine, and does to their connections what networks do. */
export interface Relay {
  readonly server: Server;
  /** From now on nothing passes on the connections that exist, and nothing closes them: half-open. */
  freeze(): void;
  /** Nor on those that are made before `speak`: they are accepted, and that is all. */
  goSilent(): void;
  speak(): void;
  /** Breaks every connection. */
  cut(): void;
  /** How many TCP connections were ever accepted. */
  count(): number;
  /** How many of them the client has not closed. */
  openCount(): number;
}

/** Passes bytes on in both directions, until it is told not to. */
export function createRelay(backend: number): Relay {
  const open = new Set<Socket>();
  const frozen = new Set<Socket>();
  const accepted = new Set<Socket>();
  let count = 0;
  let isSilent = false;

  function pass(from: Socket, to: Socket): void {
    open.add(from);
    from.on('data', (bytes) => frozen.has(from) || to.write(bytes));
    from.on('error', () => undefined);
    from.on('close', () => {
      open.delete(from);
      accepted.delete(from);
      // What is half-open stays so for the other side.
      if (!frozen.delete(from)) to.destroy();
    });
  }

  const server = createServer((client) => {
    count += 1;
    accepted.add(client);
    const upstream = connect(backend, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
    if (isSilent) for (const socket of [client, upstream]) frozen.add(socket);
  });
  function freeze(): void {
    for (const socket of open) frozen.add(socket);
  }

  return {
    server,
    count: () => count,
    openCount: () => accepted.size,
    freeze,
    goSilent() {
      isSilent = true;
      freeze();
    },
    speak() {
      isSilent = false;
    },
    cut() {
      for (const socket of open) socket.destroy();
    },
  };
}
