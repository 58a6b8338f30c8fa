import type { Clock } from '@weeder/kube-runtime/base';
import { fromCallback } from 'xstate';
import { type DependantsRef, dependants, withdrawalReasonOf } from '../../../machines/weeder/dependants.ts';
import type { ServiceLookup } from '../../config/serviceLookup.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import { protectionBy } from './deletionEntry.ts';
import type { DeletionRequest, Dependants, RequestPolicy } from './deletionRequest.ts';
import type { Deletions } from './deletions.ts';
import { type ReportWeeder, windowRefOf } from './weederEvents.ts';

/** The dependencies of the effects of the `dependants` machine. */
export interface DependantsEffects {
  readonly clock: Clock;
  readonly services: ServiceLookup;
  readonly deletions: Deletions;
  readonly report: ReportWeeder;
  /** The pods that the podSelector of a service selects; without one, those that declare it. */
  readonly dependantsBy: (
    namespace: string,
    service: string,
    podSelector: string | undefined,
  ) => Dependants | undefined;
}

/** The pod watch of one child, and what it requests. */
interface PodWatch {
  readonly request: DeletionRequest;
  unsubscribe: () => void;
}

interface ProvidedDependants {
  readonly logic: typeof dependants;
  /** A child has failed: it requests nothing more. */
  abandon(child: Pick<DependantsRef, 'namespace' | 'service' | 'id'>): void;
}

/**
 * The `dependants` machine with its effects. The pod watch requests the deletion of each pod that crash-loops, and
 * withdraws it for a pod that recovers, is no longer selected, or is protected. Everything else the machine decides.
 */
export function provideDependants(effects: DependantsEffects): ProvidedDependants {
  const { clock, services, deletions, report, dependantsBy } = effects;
  const podWatches = new Map<string, PodWatch>();

  function createPodWatch(child: DependantsRef, policy: RequestPolicy, index: PodIndex): PodWatch {
    const { openedAt, closesAt, send } = child;
    const state = { openedAt, closesAt, policy, uids: new Set<string>(), pending: new Set<string>() };
    const watch = { request: { window: windowRefOf(child), index, send, ...state }, unsubscribe: () => {} };
    podWatches.set(keyOf(child), watch);
    return watch;
  }

  /** Begins to watch, or continues with the current config. */
  function watchPods(child: DependantsRef): PodWatch | undefined {
    const { namespace, service, podSelector, closesAt } = child;
    const policy = services(namespace, service);
    const dependants = dependantsBy(namespace, service, podSelector);
    if (policy === undefined || dependants === undefined) return undefined;
    const watch = podWatches.get(keyOf(child)) ?? createPodWatch(child, policy, dependants.index);
    const { request } = watch;
    watch.unsubscribe();
    request.policy = policy;
    request.closesAt = closesAt;
    watch.unsubscribe = dependants.index.subscribe(dependants.scope, {
      crashLooping: (pod) => decide(request, pod),
      left: (uid, departure) => deletions.left(request, uid, departure),
    });
    const selected = new Set(dependants.index.uids(dependants.scope));
    for (const uid of request.uids) if (!selected.has(uid)) deletions.withdraw(request, uid, 'reconfigured');
    return watch;
  }

  function decide(request: DeletionRequest, pod: CrashLoopingPod): void {
    const protection = protectionBy(request.policy, pod);
    if (protection !== 'none') {
      deletions.withdraw(request, pod.uid, 'protected');
      request.send({ type: 'pod.protected', uid: pod.uid, protection });
      return;
    }
    // After the process was suspended, events may arrive before the timer of a window that should have closed long ago.
    if (clock.monotonic() <= request.closesAt) deletions.request(request, pod);
  }

  const logic = dependants.provide({
    actors: {
      podWatch: fromCallback(({ input }) => {
        const watch = watchPods(input);
        return () => watch?.unsubscribe();
      }),
      pendingOutcomes: fromCallback(({ input, sendBack }) => {
        const request = podWatches.get(keyOf(input))?.request;
        podWatches.delete(keyOf(input));
        const done = () => sendBack({ type: 'outcomes.known' });
        if (request === undefined) done();
        else deletions.whenIdle(request, done);
      }),
    },
    actions: {
      withdrawDeletions({ context, self: { id }, event }) {
        const request = podWatches.get(keyOf({ ...context, id }))?.request;
        if (request !== undefined) deletions.withdrawAll(request, withdrawalReasonOf(event));
      },
      reconfigurePodWatch({ context, self: { id, send } }) {
        const watch = watchPods({ ...context, id, send });
        if (watch !== undefined) deletions.reconfigured(watch.request);
      },
      reportPodWatchFailed({ context: { namespace, service }, event }) {
        const error = 'error' in event ? event.error : event;
        report({ type: 'actor.failed', actor: `podWatch of ${namespace}/${service}`, error });
      },
    },
  });

  return {
    logic,
    abandon(child) {
      const watch = podWatches.get(keyOf(child));
      podWatches.delete(keyOf(child));
      watch?.unsubscribe();
      if (watch !== undefined) deletions.withdrawAll(watch.request, 'over');
    },
  };
}

function keyOf({ namespace, service, id }: Pick<DependantsRef, 'namespace' | 'service' | 'id'>): string {
  return `${namespace}/${service}/${id}`;
}
