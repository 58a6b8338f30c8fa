import { fromCallback } from 'xstate';
import { dependants } from '../../../machines/weeder/dependants.ts';
import { type DependantsInput, endpoint } from '../../../machines/weeder/endpoint.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceConfig } from '../../config/config.ts';
import type { DeletionRequest } from '../deletions/deletionEntry.ts';
import type { Deletions } from '../deletions/deletions.ts';
import type { ReportWeeder } from '../deletions/weederEvents.ts';
import type { Windows } from '../deletions/windows.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import type { ReadyEvidence } from './readiness.ts';
import type { ReadySince } from './readySince.ts';

/** The dependencies of the effects of the `endpoint` and `dependants` machines. */
export interface EndpointEffects {
  readonly clock: Clock;
  readonly services: ReadonlyMap<string, ServiceConfig>;
  readonly windows: Windows;
  readonly deletions: Deletions;
  readonly report: ReportWeeder;
  readonly readySince: ReadySince;
  readonly evidence: (namespace: string, service: string) => ReadyEvidence;
  /** The index of a service's podSelector, by its position in the config. */
  readonly indexOf: (service: string, selector: number) => PodIndex | undefined;
}

export type EndpointLogic = typeof endpoint;

/** The `endpoint` machine with its effects, including its child machine. */
export function provideEndpoint(effects: EndpointEffects): EndpointLogic {
  const { clock, services, windows, report, readySince, evidence } = effects;
  return endpoint.provide({
    actors: {
      dependants: provideDependants(effects),
      readySince: fromCallback(({ input: { namespace, service }, sendBack }) => {
        const controller = new AbortController();
        const watchDuration = services.get(service)?.watchDuration ?? 0;
        const oldest = clock.now() - watchDuration;
        const report = (since: number | undefined) =>
          sendBack(
            since === undefined
              ? { type: 'recovery.timeUnknown' }
              : { type: 'recovery.timeKnown', readySince: since, now: clock.now() },
          );
        readySince(evidence(namespace, service), oldest, controller.signal).then(report, () => report(undefined));
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
  const requests = new Map<string, DeletionRequest>();

  return dependants.provide({
    actors: {
      podWatch: fromCallback(({ input, sendBack }) => {
        const request = requestOf(effects, input);
        const config = effects.services.get(input.service);
        if (request === undefined || config === undefined) return undefined;
        requests.set(keyOfChild(input), request);
        const { dependantNamespaces } = config;
        const unsubscribe = request.index.subscribe(
          dependantNamespaces === 'same' ? [input.namespace] : dependantNamespaces,
          {
            crashLooping: ({ uid }) => sendBack({ type: 'pod.crashLooping', uid }),
            left: (uid, departure) => deletions.left(request, uid, departure),
          },
        );
        return () => {
          unsubscribe();
          requests.delete(keyOfChild(input));
          deletions.withdraw(request, 'over');
        };
      }),
    },
    actions: {
      requestDeletion: ({ context, event }) => {
        const request = requests.get(keyOfChild(context));
        if (request === undefined || event.type !== 'pod.crashLooping') return;
        // After the process was suspended, events may arrive before the timer of a window that should have closed long
        // ago.
        if (clock.monotonic() <= request.stats.closesAt) deletions.request(request, event.uid ?? '');
      },
      withdrawDeletions: ({ context }) => {
        const request = requests.get(keyOfChild(context));
        if (request !== undefined) deletions.withdraw(request, 'held');
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

function requestOf(effects: EndpointEffects, input: DependantsInput): DeletionRequest | undefined {
  const stats = effects.windows.stats(input);
  const index = effects.indexOf(input.service, input.selector);
  const policy = effects.services.get(input.service);
  if (stats === undefined || index === undefined || policy === undefined) return undefined;
  return { stats, index, policy, uids: new Set() };
}
