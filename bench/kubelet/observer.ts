import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { EndpointSlice, Metadata, WatchEvent } from '../../test/cluster/support/objects.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { dependantLabels } from './workloads.ts';

const State = z.object({
  /** Null: the container of a deleted pod has never run. */
  terminated: z.object({ finishedAt: z.string().nullable() }).optional(),
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
});

const Pod = z.object({
  metadata: Metadata,
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
    containerStatuses: z
      .array(z.object({ restartCount: z.number(), state: State, lastState: State.optional() }))
      .optional(),
  }),
});

/** The pod of a dependant as the kubelet reports it. */
export interface PodReport {
  readonly uid: string;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly reported: 'terminated' | 'CrashLoopBackOff' | 'other';
  /** When its container exited: epoch milliseconds by the node's clock, to the second. */
  readonly finishedAt: number;
}

/** Watches the cluster with its own streams, and records when changes arrive. */
export interface Observer {
  /** The dependants' pods of a namespace that are not being deleted. */
  pods(namespace: string): readonly PodReport[];
  isDeleted(uid: string): boolean;
  isServiceReady(namespace: string): boolean;
  /** Resolves, after the next event that makes it true, with that event's time: milliseconds on `performance.now()`. */
  when(condition: () => boolean, signal: AbortSignal): Promise<number>;
  /** Rejects when a stream ends. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

/** Starts the observer. It writes events to `folder`, one JSON object in each line, as `weeder replay` reads them. */
export function observe(cluster: Cluster, folder?: string): Observer {
  const end = new AbortController();
  const pods = new Map<string, { readonly namespace: string; readonly report: PodReport }>();
  const slices = new Map<string, { readonly namespace: string; readonly isReady: boolean }>();
  const deleted = new Set<string>();
  const waiting = new Set<(at: number) => void>();

  function onPod(type: string, object: unknown): void {
    const pod = Pod.parse(object);
    const { uid, namespace = '', deletionTimestamp } = pod.metadata;
    if (type === 'DELETED' || deletionTimestamp !== undefined) {
      pods.delete(uid);
      deleted.add(uid);
    } else pods.set(uid, { namespace, report: reportOf(pod) });
  }
  function onSlice(type: string, object: unknown): void {
    const slice = EndpointSlice.parse(object);
    const { uid, namespace = '' } = slice.metadata;
    const isReady = (slice.endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
    if (type === 'DELETED') slices.delete(uid);
    else slices.set(uid, { namespace, isReady });
  }
  async function follow(path: string, name: string, see: (type: string, object: unknown) => void): Promise<never> {
    const file = folder === undefined ? undefined : createWriteStream(join(folder, `${name}.jsonl`));
    try {
      const { lines } = await cluster.lines(path, { signal: end.signal });
      for await (const line of lines) {
        const at = performance.now();
        const { type, object } = WatchEvent.parse(JSON.parse(line));
        file?.write(`${JSON.stringify({ ts: new Date().toISOString(), type, object })}\n`);
        see(type, object);
        for (const check of [...waiting]) check(at);
      }
      throw new Error(`The observer's stream of ${name} ended.`);
    } finally {
      file?.end();
      if (file !== undefined) await finished(file);
    }
  }
  const selector = encodeURIComponent(`app=${dependantLabels.app}`);
  const streams = [
    follow(`/api/v1/pods?watch=true&timeoutSeconds=7200&labelSelector=${selector}`, 'pods', onPod),
    follow('/apis/discovery.k8s.io/v1/endpointslices?watch=true&timeoutSeconds=7200', 'endpointslices', onSlice),
  ];
  const failed = Promise.race(streams);
  failed.catch(() => {});

  return {
    pods: (namespace) => [...pods.values()].filter((each) => each.namespace === namespace).map(({ report }) => report),
    isDeleted: (uid) => deleted.has(uid),
    isServiceReady: (namespace) => [...slices.values()].some((each) => each.namespace === namespace && each.isReady),
    when(condition, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const check = (at: number): void => {
        if (condition()) resolve(at);
      };
      const abort = (): void => reject(signal.reason);
      waiting.add(check);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      check(performance.now());
      return promise.finally(() => {
        waiting.delete(check);
        signal.removeEventListener('abort', abort);
      });
    },
    failed,
    async stop() {
      end.abort();
      await Promise.allSettled(streams);
    },
  };
}

function reportOf({ metadata, status }: z.infer<typeof Pod>): PodReport {
  const [container] = status.containerStatuses ?? [];
  const { terminated, waiting } = container?.state ?? {};
  const last = terminated ?? container?.lastState?.terminated;
  const isBackingOff = waiting?.reason === 'CrashLoopBackOff';
  return {
    uid: metadata.uid,
    isReady: (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    restarts: container?.restartCount ?? 0,
    reported: terminated !== undefined ? 'terminated' : isBackingOff ? 'CrashLoopBackOff' : 'other',
    finishedAt: Date.parse(last?.finishedAt ?? ''),
  };
}
