import type { ClusterAccess } from '@weeder/kube-runtime/access';
import { loadKubeConfig } from '@weeder/kube-runtime/access';
import type { Clock } from '@weeder/kube-runtime/base';
import { type CodedError, failed, ok, type Result } from '@weeder/kube-runtime/base';
import type { ApiFailure } from '@weeder/kube-runtime/client';
import {
  createKubeClient,
  describeFailure,
  discoveringClient,
  isTransient,
  type KubeClient,
  type RequestOutcome,
} from '@weeder/kube-runtime/client';
import { codedError, errorTable } from '../base/errors.ts';
import { userAgent } from '../base/userAgent.ts';
import type { ClusterFlags } from './flags/runFlags.ts';

interface ConnectOptions extends ClusterFlags {
  /** The time limit of each request, in milliseconds; 0: none. Default: that of the request. */
  readonly requestTimeout?: number;
  /**
   * How long to wait for an API server that does not respond, in milliseconds; 0: forever. The default depends on
   * whether weeder runs in a pod.
   */
  readonly apiServerTimeout?: number;
  /** Called the first time that the server does not respond. */
  readonly onWaiting: (cause: string) => void;
  /** Aborted when the connection is no longer needed: the wait ends. */
  readonly signal: AbortSignal;
  /** Called once, before the first request. */
  readonly onAccess?: (access: ClusterAccess) => void;
  /** Called for every request of the client. */
  readonly onRequest?: (event: RequestOutcome) => void;
}

/** A person is waiting: an unreachable API server is reported within seconds, and once. */
export const interactive = { apiServerTimeout: 5000, onWaiting: () => {}, signal: new AbortController().signal };

const retryEvery = 1000;
/** A working API server responds to this request within milliseconds; the last attempt gets its full time, too. */
const longestTry = 5000;
const shortestTry = 1000;
/** The default outside of a pod, where a person waits. */
const patience = 30_000;

/**
 * Finds the cluster and sends it one request, so that errors in the kubeconfig are reported at start-up. In a pod it
 * waits forever, because an exit would only put weeder itself into a crash-loop back-off.
 */
export async function connect(options: ConnectOptions, clock: Clock): Promise<Result<KubeClient>> {
  const { kubeconfig, context, as, asGroup, kubeApiQps: qps, kubeApiBurst: burst, requestTimeout, onRequest } = options;
  if (asGroup !== undefined && as === undefined) return failed(codedError('USAGE', 'The flag --as-group needs --as.'));
  const { hint } = errorTable.KUBECONFIG_NOT_FOUND;
  const access = loadKubeConfig({ kubeconfig, context, as, asGroup, hint }, process.env);
  if (!access.ok) return access;
  options.onAccess?.(access.value);
  const created = discoveringClient(
    createKubeClient({
      access: access.value,
      clock,
      userAgent,
      qps,
      burst,
      ...(onRequest === undefined ? {} : { onRequest }),
    }),
  );
  const client = requestTimeout === undefined ? created : limited(created, requestTimeout || longestTimeout);
  const timeout = options.apiServerTimeout ?? (isInPod(access.value) ? 0 : patience);
  const patient = Math.min(timeout || Number.POSITIVE_INFINITY, requestTimeout || Number.POSITIVE_INFINITY);
  const failure = await probeServer(client, patient, options, clock);
  if (failure === undefined) return ok(client);
  await client.close();
  return failed(asProblem(failure, client.server));
}

/** Six days: a timer of Node cannot wait for much longer than three times this. */
const longestTimeout = 2 ** 29;

/** Each request has this time limit in place of its own. */
function limited(client: KubeClient, requestTimeout: number): KubeClient {
  const timeoutMs = Math.min(requestTimeout, longestTimeout);
  return { ...client, call: (request) => client.call({ ...request, timeoutMs }) };
}

function isInPod({ source }: ClusterAccess): boolean {
  return source.startsWith('service account ');
}

async function probeServer(
  client: KubeClient,
  timeout: number,
  { signal, onWaiting }: ConnectOptions,
  clock: Clock,
): Promise<ApiFailure | undefined> {
  const deadline = clock.monotonic() + timeout;
  for (let attempt = 1; ; attempt += 1) {
    const timeoutMs = Math.max(shortestTry, Math.min(longestTry, deadline - clock.monotonic()));
    const result = await client.call({ method: 'GET', path: '/api/v1', timeoutMs, signal });
    // A user who may watch pods may still lack the permission for discovery.
    if (result.ok || result.failure.type === 'forbidden') return undefined;
    if (!isTransient(result.failure) || clock.monotonic() >= deadline) return result.failure;
    if (attempt === 1) onWaiting(describeFailure(result.failure, client.server));
    await pause(Math.min(retryEvery, deadline - clock.monotonic()), clock, signal);
  }
}

function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', end);
    resolve();
  };
  const timer = clock.setTimeout(end, ms);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);
  return promise;
}

function asProblem(failure: ApiFailure, server: string): CodedError {
  return codedError(codeOf(failure), describeFailure(failure, server), '');
}

function codeOf(failure: ApiFailure) {
  if (failure.type === 'unauthorized') return 'CLUSTER_REFUSES';
  if (failure.type === 'credentials') return 'CLUSTER_CREDENTIALS';
  return isTransient(failure) || failure.type === 'network' ? 'CLUSTER_UNREACHABLE' : 'CLUSTER_NOT_KUBERNETES';
}
