import type { VirtualClock } from '@weeder/kube-runtime/testing';
import type { ObjectSink } from '@weeder/kube-runtime/watch';
import type { Config, Webhooks } from '../../../src/config/config.ts';
import { withWebhooks } from '../../../src/config/serviceLookup.ts';
import type { OwnerRequests } from '../../../src/weeder/creations/retryOwner.ts';
import type { Weeder } from '../../../src/weeder/weeder.ts';
import { failedCreate } from '../world/creationWorld.ts';
import type { ReplayScript, ReplayStep } from './replayFormat.ts';

/** The objects of a replay whose pods cannot be created, and their Events. */
export function replayCreations(
  { webhooks }: Pick<ReplayScript, 'webhooks'>,
  clock: VirtualClock,
  log: (sentence: string) => void,
) {
  const called: Webhooks = new Map(Object.entries(webhooks).map(([name, services]) => [name, new Set(services)]));
  let sink: ObjectSink | undefined;
  const ownerRequests: OwnerRequests = {
    async retryOwner({ kind, namespace, name }) {
      log(`PATCH ${kind} ${namespace}/${name}`);
      return { type: 'retry.accepted', existing: 0 };
    },
    awaitPod: async () => {},
  };
  return {
    /** Each object has its pods at once after a retry. */
    ownerRequests,
    withWebhooks: (config: Config) => withWebhooks(config, called),
    /** This weeder sees the Events from now on. */
    follow({ owners }: Weeder) {
      sink = owners.createSink();
      sink.begin();
      sink.end();
    },
    happen({ failedCreate: step }: Omit<ReplayStep, 'at'>) {
      if (step === undefined) return;
      const { name, kind, namespace, message } = step;
      sink?.apply('MODIFIED', failedCreate(name, clock.now(), { kind, namespace, message }));
    },
  };
}
