import { acceptOf } from '../client/accept.ts';
import type { KubeClient } from '../client/client.ts';
import { type ApiFailure, type FailureType, isFromTheFuture } from '../client/failure.ts';
import { headersMs, type WatchSource } from './watchOnce.ts';

/** A server that refuses the request for another reason cannot say. */
const unanswered: ReadonlySet<FailureType> = new Set([
  'network',
  'timeout',
  'unavailable',
  'throttled',
  'credentials',
  'unauthorized',
  'cancelled',
]);

/**
 * Asks whether the server has reached this resourceVersion. After etcd was restored from a backup, a watch from a later
 * one is accepted and delivers nothing. `known`: it has, or it cannot say. `unknown`: it could not be asked.
 *
 * The request is a list at exactly that version of one name. Every API server reads it from etcd: its own cache may
 * still be from before the restore. No object needs to have the name.
 */
export async function verifyPosition(
  client: KubeClient,
  { path, fieldSelector = 'metadata.name=none' }: Pick<WatchSource, 'path' | 'fieldSelector'>,
  position: string,
  signal: AbortSignal,
): Promise<'known' | 'future' | 'unknown'> {
  // The order of other versions is undefined.
  if (!/^[1-9][0-9]*$/.test(position)) return 'known';
  const query = { fieldSelector, resourceVersion: position, resourceVersionMatch: 'Exact' };
  const read = async (collection: string): Promise<ApiFailure | undefined> => {
    const request = { method: 'GET', path: collection, query, accept: acceptOf('metadata', 'list'), signal } as const;
    // A shorter time-out than that of the watch beside it would end the connection that both use.
    const result = await client.call({ ...request, timeoutMs: headersMs, isConfidential: true });
    return result.ok ? undefined : result.failure;
  };
  const inNamespace = oneNamespaceOf(path);
  const first = await read(inNamespace);
  // The API server has no such path for a kind that is cluster-scoped.
  const failure = first?.status === 404 && inNamespace !== path ? await read(path) : first;
  if (failure === undefined) return 'known';
  if (isFromTheFuture(failure)) return 'future';
  return unanswered.has(failure.type) ? 'unknown' : 'known';
}

/** The same collection in one namespace: a list of one name in all namespaces reads all objects. */
function oneNamespaceOf(path: string): string {
  const [, version, plural] = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/([^/]+)$/.exec(path) ?? [];
  return version === undefined ? path : `${version}/namespaces/default/${plural}`;
}
