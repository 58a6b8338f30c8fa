import { unreachable, virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import type { ControllerContext } from '../../../src/controller/controller.ts';

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
