import type { Clock } from '@weeder/kube-runtime/base';
import type { DependantsRef } from '../../../machines/weeder/dependants.ts';
import type { ServiceLookup } from '../../config/serviceLookup.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import { protectionBy } from './deletionEntry.ts';
import type { DeletionRequest, Dependants, RequestPolicy } from './deletionRequest.ts';
import type { Deletions } from './deletions.ts';
import type { CreateWatch } from './dependantsActor.ts';
import { windowRefOf } from './weederEvents.ts';

interface PodWatchEffects {
  readonly clock: Clock;
  readonly services: ServiceLookup;
  readonly deletions: Deletions;
  /** The pods that the podSelector of a service selects; without one, those that declare it. */
  readonly dependantsBy: (
    namespace: string,
    service: string,
    podSelector: string | undefined,
  ) => Dependants | undefined;
}

/**
 * Requests the deletion of each pod of a child that crash-loops, and withdraws it for a pod that recovers, is no longer
 * selected, or is protected.
 */
export function createPodWatch({ clock, services, deletions, dependantsBy }: PodWatchEffects): CreateWatch {
  function known(
    child: DependantsRef,
  ): { readonly policy: RequestPolicy; readonly dependants: Dependants } | undefined {
    const { namespace, service, podSelector } = child;
    const policy = services(namespace, service);
    const dependants = dependantsBy(namespace, service, podSelector);
    return policy === undefined || dependants === undefined ? undefined : { policy, dependants };
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

  return (child) => {
    const first = known(child);
    if (first === undefined) return undefined;
    const { openedAt, closesAt, send } = child;
    const state = { openedAt, closesAt, policy: first.policy, uids: new Set<string>(), pending: new Set<string>() };
    const request: DeletionRequest = { window: windowRefOf(child), index: first.dependants.index, send, ...state };
    let unsubscribe = () => {};
    return {
      begin(now) {
        const current = known(now);
        if (current === undefined) return;
        const { policy, dependants } = current;
        unsubscribe();
        request.policy = policy;
        request.closesAt = now.closesAt;
        unsubscribe = dependants.index.subscribe(dependants.scope, {
          crashLooping: (pod) => decide(request, pod),
          left: (uid, departure) => deletions.left(request, uid, departure),
        });
        const selected = new Set(dependants.index.uids(dependants.scope));
        for (const uid of request.uids) if (!selected.has(uid)) deletions.withdraw(request, uid, 'reconfigured');
      },
      reconfigured: () => deletions.reconfigured(request),
      pause: () => unsubscribe(),
      withdraw: (because) => deletions.withdrawAll(request, because),
      whenIdle: (done) => deletions.whenIdle(request, done),
    };
  };
}
