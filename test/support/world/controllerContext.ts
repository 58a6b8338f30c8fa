import { unreachable, virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import type { ControllerContext } from '../../../src/controller/controller.ts';
import { createNamespaceOwner } from '../../../src/controller/ownedNamespaces.ts';

/** What a process that leads passes to a controller; without a client of its own, no request succeeds. */
export function controllerContext(
  own: Pick<ControllerContext, 'config'> & Partial<ControllerContext>,
): ControllerContext {
  return {
    runtime: { clock: virtualClock() },
    client: unreachable,
    logger: pino({ level: 'silent' }),
    namespaces: 'all',
    owned: undefined,
    isDryRun: false,
    hasUrgentWork: () => false,
    isLeading: () => true,
    recordEvent: () => {},
    onStreamsChanged: () => {},
    onStreamClosed: () => {},
    ...own,
  };
}

type OwnerOptions = Parameters<typeof createNamespaceOwner>[0];

/** The namespaces of a shard, or those that are selected. */
export function namespaceOwner(own: Partial<OwnerOptions>): ReturnType<typeof createNamespaceOwner> {
  const silent = { onKnown: () => {}, onChanged: () => {} };
  return createNamespaceOwner({ clock: virtualClock(), shard: undefined, selection: undefined, ...silent, ...own });
}
