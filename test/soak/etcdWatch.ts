import { z } from 'zod';
import { linesOf } from '../cluster/support/plane/http.ts';

/** One write to etcd: an object that the API server stored, or a deletion. */
export interface Write {
  readonly key: string;
  /** The resourceVersion of the object, or of its deletion. */
  readonly revision: number;
  /** When this process received it. */
  readonly at: number;
  /** Undefined for a deletion. */
  readonly object: unknown;
}

const WatchResponse = z.object({
  result: z.object({
    canceled: z.boolean().optional(),
    events: z
      .array(
        z.object({
          type: z.string().optional(),
          kv: z.object({ key: z.string(), mod_revision: z.coerce.number(), value: z.string().optional() }),
        }),
      )
      .optional(),
  }),
});

/**
 * Watches all writes below `/registry/<prefix>/` from now on, without gaps and independently of the API server: it
 * reads etcd itself, in which the API server has to store JSON (`--storage-media-type=application/json`). Resolves when
 * the watch is open; calls `onFailure` if it ends.
 */
export async function watchEtcd(
  etcdUrl: string,
  prefix: string,
  onWrite: (write: Write) => void,
  onFailure: (why: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const [key, rangeEnd] = [base64(`/registry/${prefix}/`), base64(`/registry/${prefix}0`)];
  const body = JSON.stringify({ create_request: { key, range_end: rangeEnd } });
  const response = await fetch(`${etcdUrl}/v3/watch`, { method: 'POST', body, signal });
  if (!response.ok || response.body === null) throw new Error(`etcd refused a watch: ${response.status}`);
  const started = Promise.withResolvers<void>();
  const follow = async (stream: ReadableStream<Uint8Array>) => {
    for await (const line of linesOf(stream)) {
      if (line === '') continue;
      started.resolve();
      const { events = [], canceled } = WatchResponse.parse(JSON.parse(line)).result;
      if (canceled === true) throw new Error('etcd ended the watch');
      for (const { type, kv } of events) onWrite(writeOf(kv, type === 'DELETE'));
    }
    throw new Error('the watch ended');
  };
  follow(response.body).catch((error: unknown) => {
    if (!signal.aborted) onFailure(error);
    started.reject(error);
  });
  await started.promise;
}

function writeOf(kv: { key: string; mod_revision: number; value?: string | undefined }, isDeletion: boolean): Write {
  const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
  const object: unknown = isDeletion || kv.value === undefined ? undefined : JSON.parse(text(kv.value));
  return { key: text(kv.key), revision: kv.mod_revision, at: Date.now(), object };
}
