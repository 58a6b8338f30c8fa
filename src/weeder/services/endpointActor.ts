import type { Clock } from '@weeder/kube-runtime/base';
import { fromCallback } from 'xstate';
import { endpoint } from '../../../machines/weeder/endpoint.ts';
import type { ServiceLookup } from '../../config/serviceLookup.ts';
import { type DependantsEffects, provideDependants } from '../deletions/dependantsActor.ts';
import { type ReportWeeder, windowRefOf } from '../deletions/weederEvents.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { ReadyEvidence } from './readiness.ts';
import type { ReadySince } from './readySince.ts';

/** The dependencies of the effects of the `endpoint` machine and its children. */
export interface EndpointEffects extends DependantsEffects {
  readonly clock: Clock;
  readonly services: ServiceLookup;
  readonly report: ReportWeeder;
  /** A dependant of the service that crash-loops now. */
  readonly podOf: (namespace: string, service: string, uid: string) => CrashLoopingPod | undefined;
  readonly readySince: ReadySince;
  readonly evidence: (namespace: string, service: string) => ReadyEvidence;
}

export type EndpointLogic = typeof endpoint;

/** The `endpoint` machine with its effects, and those of its children. */
export function provideEndpoint(effects: EndpointEffects): EndpointLogic {
  const { clock, services, report, readySince, evidence, podOf } = effects;
  const children = provideDependants(effects);
  return endpoint.provide({
    actors: {
      dependants: children.logic,
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
      reportWindowOpened: ({ context: { openedAt, closesAt, ...window } }) =>
        report({ type: 'window.opened', ...windowRefOf(window), duration: closesAt - openedAt }),
      reportWindowClosed({ context: { namespace, service, window: newest, windows } }) {
        for (const { window, children, deleted, retried, skipped, failed } of windows) {
          if (children.length > 0) continue;
          const counts = { deleted: deleted.length, skipped: skipped.length, failed };
          const ofWebhook = retried.length === 0 ? {} : { retried: retried.length };
          const replaced = window === newest ? {} : ({ isReplaced: true } as const);
          report({ type: 'window.closed', namespace, service, window, ...counts, ...ofWebhook, ...replaced });
        }
      },
      reportSkipped({ context: { namespace, service, window: newest, because }, event }) {
        if (event.type !== 'pod.skipped') return;
        const { window = 0, uid = '', protection: reason = 'none' } = event;
        const pod = podOf(namespace, service, uid);
        const ref = { namespace, service, window, ...(window === newest ? { because } : {}) };
        if (pod !== undefined) report({ type: 'pod.skipped', pod, reason, ...windowRefOf(ref) });
      },
      reportDependantsFailed({ context: { namespace, service }, event }) {
        const { error, actorId: id } = 'error' in event ? event : { error: event.type, actorId: '' };
        report({ type: 'actor.failed', actor: `dependants of ${namespace}/${service}`, error });
        children.abandon({ namespace, service, id });
      },
    },
  });
}
