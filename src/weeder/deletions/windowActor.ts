import { fromCallback } from 'xstate';
import { window } from '../../../machines/weeder/window.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceConfig } from '../../config/config.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import type { WithdrawalReason } from './deletionEntry.ts';
import type { Deletions } from './deletions.ts';
import type { ReportWeeder, WindowRef } from './weederEvents.ts';
import type { DeletionRequest, WindowEntry } from './windowEntry.ts';

/** The dependencies of the effects of the `window` machine. */
export interface WindowEffects {
  readonly clock: Clock;
  readonly services: ReadonlyMap<string, ServiceConfig>;
  readonly deletions: Deletions;
  readonly report: ReportWeeder;
  /** The index of a service's podSelector, by its position in the config. */
  readonly indexOf: (service: string, selector: number) => PodIndex | undefined;
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
  const { clock, services, deletions, report } = effects;

  function withEntry(ref: WindowRef, act: (entry: WindowEntry) => void): void {
    const entry = entryOf(ref);
    if (entry !== undefined) act(entry);
  }

  return window.provide({
    actors: {
      podWatch: fromCallback(({ input, sendBack }) => {
        const entry = entryOf(input);
        const config = services.get(input.service);
        if (entry === undefined || config === undefined) return undefined;
        const scope = config.dependantNamespaces === 'same' ? [input.namespace] : config.dependantNamespaces;
        const requests = requestsOf(entry, config, effects);
        entry.requests = [];
        const subscriptions = requests.map((request, selector) =>
          request.index.subscribe(scope, {
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

function requestsOf(entry: WindowEntry, policy: ServiceConfig, { indexOf }: WindowEffects): readonly DeletionRequest[] {
  return policy.podSelectors.flatMap((_, selector) => {
    const index = indexOf(entry.service, selector);
    return index === undefined ? [] : [{ window: entry, policy, index, uids: new Set<string>() }];
  });
}
