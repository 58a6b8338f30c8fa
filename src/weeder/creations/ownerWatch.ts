import { keyOf } from '@weeder/kube-runtime/objects';
import type { Webhooks } from '../../config/config.ts';
import type { CreateWatch } from '../deletions/dependantsActor.ts';
import { windowRefOf } from '../deletions/weederEvents.ts';
import type { OwnerIndex } from '../owners/ownerIndex.ts';
import type { CreationRequest } from './creationEntry.ts';
import type { Creations } from './creations.ts';

interface OwnerWatchEffects {
  readonly owners: OwnerIndex;
  readonly creations: Creations;
  readonly webhooks: () => Webhooks | undefined;
}

/** Requests the retry of each object whose newest creation of a pod a webhook of the service of a child has refused. */
export function createOwnerWatch({ owners, creations, webhooks }: OwnerWatchEffects): CreateWatch {
  return (child) => {
    const { openedAt, closesAt, send } = child;
    const service = keyOf(child.namespace, child.service);
    const request: CreationRequest = { window: windowRefOf(child), openedAt, closesAt, send, canary: undefined };
    let unsubscribe = () => {};
    return {
      begin(now) {
        unsubscribe();
        request.closesAt = now.closesAt;
        unsubscribe = owners.subscribe((refused) => {
          if (webhooks()?.get(refused.webhook)?.has(service) === true) creations.request(request, refused);
        });
      },
      reconfigured() {},
      pause: () => unsubscribe(),
      withdraw: (because) => creations.withdrawAll(request, because),
      whenIdle: (done) => creations.whenIdle(request, done),
    };
  };
}
