import { fromCallback } from 'xstate';
import { dependants } from '../../../machines/weeder/dependants.ts';
import { type DependantsInput, endpoint } from '../../../machines/weeder/endpoint.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceConfig } from '../../config/config.ts';
import type { Want } from '../deletions/deletionEntry.ts';
import type { Deletions } from '../deletions/deletions.ts';
import type { Report } from '../deletions/facts.ts';
import type { Windows } from '../deletions/windows.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import type { ReadyEvidence } from './readiness.ts';
import type { ReadySince } from './readySince.ts';

/** What the `endpoint` and `dependants` machines need of the world. */
export interface EndpointEffects {
  readonly clock: Clock;
  readonly services: ReadonlyMap<string, ServiceConfig>;
  readonly windows: Windows;
  readonly deletions: Deletions;
  readonly report: Report;
  readonly readySince: ReadySince;
  readonly evidence: (namespace: string, service: string) => ReadyEvidence;
  /** The index of a service's podSelector, by its place in the config. */
  readonly indexOf: (service: string, selector: number) => PodIndex | undefined;
}

export type EndpointLogic = typeof endpoint;

/** The `endpoint` machine with its effects, its children included. */
export function provideEndpoint(effects: EndpointEffects): EndpointLogic {
  const { clock, services, windows, report, readySince, evidence } = effects;
  return endpoint.provide({
    actors: {
      dependants: provideDependants(effects),
      readySince: fromCallback(({ input: { namespace, service }, sendBack }) => {
        const controller = new AbortController();
        const watchDuration = services.get(service)?.watchDuration ?? 0;
        const oldest = clock.now() - watchDuration;
        const tell = (since: number | undefined) =>
          sendBack(
            since === undefined
              ? { type: 'recovery.undated' }
              : { type: 'recovery.dated', readySince: since, now: clock.now() },
          );
        readySince(evidence(namespace, service), oldest, controller.signal).then(tell, () => tell(undefined));
        return () => controller.abort();
      }),
    },
    actions: {
      reportNotReady: ({ context: { namespace, service } }) => report({ type: 'service.notReady', namespace, service }),
      reportFoundReady: ({ context: { namespace, service } }) => report({ type: 'service.ready', namespace, service }),
      reportWindowOpened: ({ context: { namespace, service, window, remaining } }) =>
        windows.open({ namespace, service, window }, remaining),
      reportWindowChanged: ({ context: { namespace, service, window, remaining } }) =>
        windows.resize({ namespace, service, window }, remaining),
      reportWindowClosed: ({ context: { namespace, service, window } }) =>
        windows.close({ namespace, service, window }),
      reportChildFailed: ({ context: { namespace, service }, event }) =>
        report({
          type: 'actor.failed',
          actor: `dependants of ${namespace}/${service}`,
          error: 'error' in event ? event.error : event.type,
        }),
    },
  });
}

function provideDependants(effects: EndpointEffects): typeof dependants {
  const { clock, deletions, report } = effects;
  const wants = new Map<string, Want>();

  return dependants.provide({
    actors: {
      podWatch: fromCallback(({ input, sendBack }) => {
        const want = wantOf(effects, input);
        const config = effects.services.get(input.service);
        if (want === undefined || config === undefined) return undefined;
        wants.set(keyOfChild(input), want);
        const { dependantNamespaces: wanted } = config;
        const unsubscribe = want.index.subscribe(wanted === 'same' ? [input.namespace] : wanted, {
          crashLooping: ({ uid }) => sendBack({ type: 'pod.crashLooping', uid }),
          left: (uid, departure) => deletions.left(want, uid, departure),
        });
        return () => {
          unsubscribe();
          wants.delete(keyOfChild(input));
          deletions.withdraw(want, 'over');
        };
      }),
    },
    actions: {
      requestDeletion: ({ context, event }) => {
        const want = wants.get(keyOfChild(context));
        if (want === undefined || event.type !== 'pod.crashLooping') return;
        // After the process stood still, news may come before the timer of a window that is long over.
        if (clock.monotonic() <= want.account.closesAt) deletions.request(want, event.uid ?? '');
      },
      withdrawDeletions: ({ context }) => {
        const want = wants.get(keyOfChild(context));
        if (want !== undefined) deletions.withdraw(want, 'held');
      },
      reportPodWatchFailed: ({ context, event }) =>
        report({
          type: 'actor.failed',
          actor: `podWatch of ${context.namespace}/${context.service}`,
          error: 'error' in event ? event.error : event,
        }),
    },
  });
}

function keyOfChild({ namespace, service, window, selector, renewal }: DependantsInput): string {
  return `${namespace}/${service}#${window}.${selector}.${renewal}`;
}

function wantOf(effects: EndpointEffects, input: DependantsInput): Want | undefined {
  const account = effects.windows.account(input);
  const index = effects.indexOf(input.service, input.selector);
  const policy = effects.services.get(input.service);
  if (account === undefined || index === undefined || policy === undefined) return undefined;
  return { account, index, policy, uids: new Set() };
}
