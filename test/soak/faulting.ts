import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../cluster/support/plane/controlPlane.ts';
import type { FaultyApiServer } from '../faults/support/apiServer.ts';
import {
  beginningWith,
  cuttingALine,
  expiredInBand,
  isDelete,
  losingAnswers,
  refusing,
  slowHeaders,
} from '../faults/support/faults.ts';
import { type Fault as Answering, isWatch, type ReceivedRequest } from '../support/api/faultyServer.ts';
import type { Fault, faults } from './decisions.ts';

/** Plays faults one after the other until `signal`, each to its end; `note` is told when one begins, and returns what is to be called then. */
export async function playFaults(
  controlPlane: ControlPlane,
  server: FaultyApiServer,
  plan: ReturnType<typeof faults>,
  note: (fault: Fault) => () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const fault = plan.next().value;
    await sleep(fault.calmMs, signal);
    if (signal.aborted) return;
    const ended = note(fault);
    const repair = await begin(controlPlane, server, fault.what);
    await pause(fault.ms);
    await repair();
    ended();
  }
}

type Repair = () => unknown;
const nothing: Repair = () => {};

const answering: Readonly<Partial<Record<Fault['what'], readonly [Answering, (request: ReceivedRequest) => boolean]>>> =
  {
    throttled: [refusing(429, 'TooManyRequests', { 'retry-after': '1' }), () => true],
    broken: [refusing(500, 'InternalError'), () => true],
    forbidden: [refusing(403, 'Forbidden'), () => true],
    unauthorized: [refusing(401, 'Unauthorized'), () => true],
    lostAnswers: [losingAnswers, isDelete],
    cutLines: [cuttingALine, isWatch],
    garbled: [beginningWith('{"type":"ADDED","object":{"kind":"Pod"}}\n'), isWatch],
    expired: [expiredInBand, isWatch],
    slow: [slowHeaders(1_000), () => true],
  };

async function begin(controlPlane: ControlPlane, server: FaultyApiServer, what: Fault['what']): Promise<Repair> {
  const wrong = answering[what];
  if (wrong !== undefined) {
    const repair = server.failAll(...wrong);
    // The watches that are open would not notice.
    if (what !== 'lostAnswers') server.cutConnections();
    return repair;
  }
  switch (what) {
    case 'away':
      server.goAway();
      return () => server.comeBack();
    case 'frozen':
      server.freeze();
      return nothing;
    case 'mute':
      server.muteWatches();
      return nothing;
    case 'paused':
      await controlPlane.pauseApiServer();
      return () => controlPlane.resumeApiServer();
    case 'killed':
      await controlPlane.killApiServer();
      return () => controlPlane.startApiServer();
    default:
      server.cutConnections();
      return nothing;
  }
}

/** Ends early, and without a word, when the signal comes. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}
