import { type JsonObject, type VirtualClock, virtualClock } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import { resolveConfig } from '../../../src/config/config.ts';
import { configFile } from '../../../src/config/schema/schema.ts';
import { withWebhooks } from '../../../src/config/serviceLookup.ts';
import type { RetryAnswer } from '../../../src/weeder/creations/retryOwner.ts';
import type { ReportWeeder, WeederEvent } from '../../../src/weeder/deletions/weederEvents.ts';
import type { PodOwner } from '../../../src/weeder/owners/failedCreate.ts';
import { createWeeder } from '../../../src/weeder/weeder.ts';
import { slice } from '../objects/objects.ts';
import { weederOptions } from './weederOptions.ts';

/** The webhook of the service `policy/webhook`. */
export const webhook = 'pods.policy.example.com';

const call = `Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://webhook.policy.svc:443/?timeout=10s": dial tcp 10.0.0.7:443: connect: connection refused`;
const quota = 'pods "web-1-" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=3, limited: pods=3';

export interface EventOptions {
  readonly kind?: string;
  readonly namespace?: string;
  /** Of the Event, if it differs. */
  readonly home?: string;
  readonly message?: string;
  readonly reason?: string;
  /** Of the object. Default: derived from its name. */
  readonly uid?: string;
}

export const messages = { call: `Error creating: ${call}`, quota: `Error creating: ${quota}` };

let version = 0;

/** An Event of a failed creation; each call is a newer version of it. */
export function failedCreate(name: string, at: number, options: EventOptions = {}): JsonObject {
  const { kind = 'ReplicaSet', namespace = 'shop', home = namespace, message = messages.call } = options;
  version += 1;
  return {
    metadata: {
      uid: `event ${namespace}/${name} ${message.slice(0, 60)}`,
      namespace: home,
      name,
      resourceVersion: String(version),
    },
    involvedObject: { kind, namespace, name, uid: options.uid ?? `${namespace}/${name}` },
    reason: options.reason ?? 'FailedCreate',
    message,
    lastTimestamp: new Date(at).toISOString(),
  };
}

interface WorldOptions {
  readonly section?: JsonObject;
  /** Default: each is accepted, and had no pods. */
  readonly answer?: (owner: PodOwner) => RetryAnswer | Promise<RetryAnswer>;
  /** How long an object waits for its next pod. Default: for ever. */
  readonly podAfter?: number;
  readonly isDryRun?: boolean;
  readonly inspect?: (event: InspectionEvent) => void;
  /** Also called for every event. */
  readonly report?: ReportWeeder;
  readonly clock?: VirtualClock;
}

/** A weeder whose cluster has a webhook of the service `policy/webhook`, which is down, and `policy/other`, which is not. */
export function creationWorld(options: WorldOptions = {}) {
  const {
    section = {},
    answer = () => ({ type: 'retry.accepted', existing: 0 }),
    podAfter,
    isDryRun = false,
  } = options;
  const clock = options.clock ?? virtualClock(Date.parse('2026-01-01T00:00:00Z'));
  const began = clock.monotonic();
  const file = configFile.parse({ podCreation: section });
  const config = withWebhooks(resolveConfig(file), new Map([[webhook, new Set(['policy/webhook'])]]));
  const [events, retried]: [WeederEvent[], string[]] = [[], []];
  const weeder = createWeeder(
    weederOptions(config, clock, {
      isDryRun,
      ...(options.inspect === undefined ? {} : { runtime: { clock, inspect: options.inspect } }),
      report(event) {
        events.push(event);
        options.report?.(event);
      },
      ownerRequests: {
        async retryOwner(owner, _signal, isRequested) {
          if (!isRequested()) return { type: 'retry.failed', reason: 'not sent' };
          const result = await answer(owner);
          if (result.type === 'retry.accepted') retried.push(`${owner.name}@${clock.monotonic() - began}`);
          return result;
        },
        awaitPod: () =>
          new Promise((resolve) => {
            if (podAfter !== undefined) clock.setTimeout(resolve, podAfter);
          }),
      },
    }),
  );
  const sink = weeder.owners.createSink();
  weeder.slices.begin();
  weeder.slices.apply('ADDED', slice({ namespace: 'policy', service: 'webhook', ready: [false] }));
  weeder.slices.end();
  sink.begin();
  sink.end();
  weeder.start();
  return {
    clock,
    weeder,
    events,
    /** The retries that the API server accepted: `name@ms`, since the start. */
    retried,
    service: (isReady: boolean, name: string = 'webhook') =>
      weeder.slices.apply('MODIFIED', slice({ namespace: 'policy', service: name, ready: [isReady] })),
    refuse: (name: string, event?: EventOptions) => sink.apply('MODIFIED', failedCreate(name, clock.now(), event)),
    types: () => events.map(({ type }) => type),
  };
}
