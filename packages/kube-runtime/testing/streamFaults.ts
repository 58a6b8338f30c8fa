import assert from 'node:assert/strict';
import { type Fault, isResumedWatch, isWatch, type ReceivedRequest } from './faultyServer.ts';
import { type Reflecting, reflecting } from './reflecting.ts';
import { until } from './until.ts';

/** A watch that first sends these bytes, piece by piece, and then fails in this way. */
export function sending(pieces: readonly (string | Buffer)[], then: 'hold' | 'end' | 'cut'): Fault {
  return (answer) => {
    answer.head(200);
    for (const piece of pieces) answer.write(piece);
    if (then === 'end') answer.end();
    if (then === 'cut') setImmediate(() => answer.cut());
  };
}

/** Changes an object and waits until the sink has it, which shows that the stream is alive and has lost nothing. */
export async function assertAlive(it: Reflecting): Promise<void> {
  it.server.store.put('afterwards');
  await it.untilSame();
  assert.deepEqual(it.sink.disorder, []);
}

/** A reflector that has read three objects and watches. */
export async function started(protocol: 'http' | 'h2', isIrrelevant?: (name: string) => boolean): Promise<Reflecting> {
  const it = await reflecting(protocol, isIrrelevant);
  for (const name of ['a', 'b', 'c']) it.server.store.put(name);
  it.start();
  await it.untilSame();
  // A watch request still in flight would get the next fault instead of the watch that follows it.
  await until('its watch has arrived', () => it.server.requests.some(isResumedWatch));
  return it;
}

export const isPage = (request: ReceivedRequest): boolean => !isWatch(request);
