import { setTimeout as pause } from 'node:timers/promises';
import { isWatch, type ReceivedRequest, type Fault as ResponseFault } from '@weeder/kube-runtime/testing';
import type { ControlPlane } from '../cluster/support/plane/controlPlane.ts';
import type { FaultyApiServer } from '../faults/support/apiServer.ts';
import {
  cutLine,
  expiredInBand,
  isDelete,
  loseResponse,
  refuseWith,
  slowHeaders,
  watchStartingWith,
} from '../faults/support/faults.ts';
import type { Fault, randomFaults } from './decisions.ts';

/**
 * Injects faults one after the other until `signal`, each for its full duration. Calls `onFault` when a fault begins,
 * and the function that it returns when the fault ends.
 */
export async function playFaults(
  controlPlane: ControlPlane,
  server: FaultyApiServer,
  plan: ReturnType<typeof randomFaults>,
  onFault: (fault: Fault) => () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const fault = plan.next().value;
    await sleep(fault.pauseMs, signal);
    if (signal.aborted) return;
    const ended = onFault(fault);
    const repair = await injectFault(controlPlane, server, fault.what);
    await pause(fault.ms);
    await repair();
    ended();
  }
}

/** Ends a fault. */
type Repair = () => unknown;
const noRepair: Repair = () => {};

const responseFaults: Readonly<
  Partial<Record<Fault['what'], readonly [ResponseFault, (request: ReceivedRequest) => boolean]>>
> = {
  throttled: [refuseWith(429, 'TooManyRequests', { 'retry-after': '1' }), () => true],
  serverErrors: [refuseWith(500, 'InternalError'), () => true],
  forbidden: [refuseWith(403, 'Forbidden'), () => true],
  unauthorized: [refuseWith(401, 'Unauthorized'), () => true],
  lostResponses: [loseResponse, isDelete],
  cutLines: [cutLine, isWatch],
  garbled: [watchStartingWith('{"type":"ADDED","object":{"kind":"Pod"}}\n'), isWatch],
  expired: [expiredInBand, isWatch],
  slow: [slowHeaders(1_000), () => true],
};

async function injectFault(controlPlane: ControlPlane, server: FaultyApiServer, what: Fault['what']): Promise<Repair> {
  const responseFault = responseFaults[what];
  if (responseFault !== undefined) {
    const repair = server.failAll(...responseFault);
    // Open watches would not be affected.
    if (what !== 'lostResponses') server.cutConnections();
    return repair;
  }
  switch (what) {
    case 'unreachable':
      server.stopListening();
      return () => server.restore();
    case 'halfOpen':
      server.freeze();
      return noRepair;
    case 'silentWatches':
      server.muteWatches();
      return noRepair;
    case 'paused':
      await controlPlane.pauseApiServer();
      return () => controlPlane.resumeApiServer();
    case 'killed':
      await controlPlane.killApiServer();
      return () => controlPlane.startApiServer();
    default:
      server.cutConnections();
      return noRepair;
  }
}

/** Ends early, without an error, when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}
