import { type Clock, systemClock } from '../src/base/clock.ts';
import { serveCollection } from './apiCollection.ts';
import { type TestStore, testStore } from './apiObjects.ts';
import { type FaultyServer, faultyServer, type Protocol } from './faultyServer.ts';

/** A small API server with one collection, and with faults that tests inject. */
export interface MisbehavingServer extends FaultyServer {
  readonly store: TestStore;
}

/** Starts the server on a free port of 127.0.0.1. Watches end by `clock`. */
export async function misbehavingServer(protocol: Protocol, clock: Clock = systemClock): Promise<MisbehavingServer> {
  const store = testStore();
  const server = await faultyServer(protocol, (request, answer) => serveCollection({ store, clock }, request, answer));
  return Object.assign(server, { store });
}
