import { fromCallback } from 'xstate';
import { window } from '../../../machines/weeder/window.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceLookup } from '../../config/serviceLookup.ts';
import type { PodIndex, Scope } from '../pods/podIndex.ts';
import type { WithdrawalReason } from './deletionEntry.ts';
import type { Deletions } from './deletions.ts';
import type { ReportWeeder, WindowRef } from './weederEvents.ts';
import type { WindowEntry } from './windowEntry.ts';

/** The dependencies of the effects of the `window` machine. */
export interface WindowEffects {
  readonly clock: Clock;
  readonly services: ServiceLookup;
  readonly deletions: Deletions;
  readonly report: ReportWeeder;
  readonly dependantsOf: (namespace: string, service: string) => readonly Dependants[];
}

/** Dependants of a service: a part of an index. */
export interface Dependants {
  readonly index: PodIndex;
  readonly scope: Scope;
}

interface WindowCalls {
  readonly entryOf: (ref: WindowRef) => WindowEntry | undefined;
  /** The window requests no further deletions. */
  readonly closing: (entry: WindowEntry) => void;
  /** The outcomes of all its deletions are known. */
  readonly closed: (entry: WindowEntry) => void;
}

const reasons: Readonly<Record<string, 'held' | 'reconfigured'>> = {
  'window.hold': 'held',
  'config.changed': 'reconfigured',
  'service.removed': 'reconfigured',
} satisfies Readonly<Record<string, WithdrawalReason>>;

/** The `window` machine with its effects. */
export function provideWindow(effects: WindowEffects, { entryOf, closing, closed }: WindowCalls): typeof window {
  const { clock, services, deletions, report, dependantsOf } = effects;

  function withEntry(ref: WindowRef, act: (entry: WindowEntry) => void): void {
    const entry = entryOf(ref);
    if (entry !== undefined) act(entry);
  }

  return window.provide({
    actors: {
      podWatch: fromCallback(({ input, sendBack }) => {
        const entry = entryOf(input);
        const policy = services(input.namespace, input.service);
        if (entry === undefined || policy === undefined) return undefined;
        const requests = dependantsOf(input.namespace, input.service).map((dependants) => {
          return { ...dependants, window: entry, policy, uids: new Set<string>() };
        });
        entry.requests = [];
        const subscriptions = requests.map((request, selector) =>
          request.index.subscribe(request.scope, {
            crashLooping: ({ uid }) => sendBack({ type: 'pod.crashLooping', uid, selector }),
            left: (uid, departure) => deletions.left(request, uid, departure),
          }),
        );
        // Only now, so that a pod watch that fails above requests nothing.
        entry.requests = requests;
        return () => {
          for (const unsubscribe of subscriptions) unsubscribe();
        };
      }),
    },
    actions: {
      requestDeletion: ({ context, event }) =>
        withEntry(context, ({ requests, closesAt }) => {
          if (event.type !== 'pod.crashLooping') return;
          const request = requests[event.selector ?? 0];
          // After the process was suspended, events may arrive before the timer of a window that should have closed
          // long ago.
          if (request !== undefined && clock.monotonic() <= closesAt) deletions.request(request, event.uid ?? '');
        }),
      withdrawDeletions: ({ context, event }) =>
        withEntry(context, ({ requests }) => {
          for (const request of requests) deletions.withdraw(request, reasons[event.type] ?? 'over');
        }),
      reportPodWatchFailed: ({ context: { namespace, service }, event }) => {
        const error = 'error' in event ? event.error : event;
        report({ type: 'actor.failed', actor: `podWatch of ${namespace}/${service}`, error });
      },
      reportClosing: ({ context }) => withEntry(context, closing),
      reportClosed: ({ context }) => withEntry(context, closed),
    },
  });
}
