import { pino } from 'pino';
import type { ControllerContext } from '../../../src/controller/controller.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { virtualClock } from './virtualClock.ts';

const failure = { kind: 'network', message: 'connection refused' } as const;

/** A client of a server that cannot be reached. */
export const unreachable: KubeClient = {
  server: 'https://127.0.0.1:1',
  call: async () => ({ ok: false, failure }),
  openStream: async () => ({ ok: false, failure }),
  renew: () => {},
  failureOf: () => failure,
  close: async () => {},
};

/** What a process that leads passes to a controller; without a client of its own, no request succeeds. */
export function controllerContext(
  own: Pick<ControllerContext, 'config'> & Partial<ControllerContext>,
): ControllerContext {
  return {
    runtime: { clock: virtualClock() },
    client: unreachable,
    logger: pino({ level: 'silent' }),
    namespaces: 'all',
    shard: undefined,
    isDryRun: false,
    hasUrgentWork: () => false,
    isLeading: () => true,
    recordEvent: () => {},
    onStreamsChanged: () => {},
    onStreamClosed: () => {},
    ...own,
  };
}
