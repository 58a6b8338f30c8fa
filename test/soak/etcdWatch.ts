import { z } from 'zod';

/** One write to etcd: what the API server stored, or that it took it away. */
export interface Write {
  readonly key: string;
  /** The resourceVersion of the object, or of its deletion. */
  readonly revision: number;
  /** When it was heard of. */
  readonly at: number;
  /** Undefined: deleted. */
  readonly object: unknown;
}

const Answer = z.object({
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
 * Follows what is written below `/registry/<prefix>/`, from now on and without a gap, whatever becomes of the API server:
 * straight from etcd, into which it has to write JSON (`--storage-media-type=application/json`). Resolves when it
 * follows; `broken` is told when it no longer does.
 */
export async function watchEtcd(
  etcdUrl: string,
  prefix: string,
  take: (write: Write) => void,
  broken: (why: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const [key, rangeEnd] = [base64(`/registry/${prefix}/`), base64(`/registry/${prefix}0`)];
  const body = JSON.stringify({ create_request: { key, range_end: rangeEnd } });
  const answer = await fetch(`${etcdUrl}/v3/watch`, { method: 'POST', body, signal });
  if (!answer.ok || answer.body === null) throw new Error(`etcd refused a watch: ${answer.status}`);
  const started = Promise.withResolvers<void>();
  const follow = async (stream: ReadableStream<Uint8Array>) => {
    for await (const line of linesOf(stream)) {
      started.resolve();
      const { events = [], canceled } = Answer.parse(JSON.parse(line)).result;
      if (canceled === true) throw new Error('etcd ended the watch');
      for (const { type, kv } of events) take(writeOf(kv, type === 'DELETE'));
    }
    throw new Error('the watch ended');
  };
  follow(answer.body).catch((error: unknown) => {
    if (!signal.aborted) broken(error);
    started.reject(error);
  });
  await started.promise;
}

function writeOf(kv: { key: string; mod_revision: number; value?: string | undefined }, isDeletion: boolean): Write {
  const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
  const object: unknown = isDeletion || kv.value === undefined ? undefined : JSON.parse(text(kv.value));
  return { key: text(kv.key), revision: kv.mod_revision, at: Date.now(), object };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((part) => part !== '');
  }
}
