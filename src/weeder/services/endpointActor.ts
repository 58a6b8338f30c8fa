import { fromCallback } from 'xstate';
import { endpoint } from '../../../machines/weeder/endpoint.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceLookup } from '../../config/serviceLookup.ts';
import type { ReportWeeder } from '../deletions/weederEvents.ts';
import type { Windows } from '../deletions/windows.ts';
import type { ReadyEvidence } from './readiness.ts';
import type { ReadySince } from './readySince.ts';

/** The dependencies of the effects of the `endpoint` machine. */
export interface EndpointEffects {
  readonly clock: Clock;
  readonly services: ServiceLookup;
  readonly windows: Windows;
  readonly report: ReportWeeder;
  readonly readySince: ReadySince;
  readonly evidence: (namespace: string, service: string) => ReadyEvidence;
}

export type EndpointLogic = typeof endpoint;

/** The `endpoint` machine with its effects. */
export function provideEndpoint(effects: EndpointEffects): EndpointLogic {
  const { clock, services, windows, report, readySince, evidence } = effects;
  return endpoint.provide({
    actors: {
      readySince: fromCallback(({ input: { namespace, service }, sendBack }) => {
        const controller = new AbortController();
        const watchDuration = services(namespace, service)?.watchDuration ?? 0;
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
      openWindow: ({ context: { namespace, service, window, remaining } }) =>
        windows.open({ namespace, service, window }, remaining),
      holdWindow: ({ context }) => windows.hold(context),
      renewWindow: ({ context }) => windows.configure(context, context),
    },
  });
}
