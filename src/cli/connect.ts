import type { Clock } from '../clock.ts';
import { failed, ok, type Problem, problem, type Result } from '../errors.ts';
import { createKubeClient, type KubeClient } from '../kube/client.ts';
import { describeFailure } from '../kube/describeFailure.ts';
import type { ApiFailure } from '../kube/failure.ts';
import { loadKubeConfig } from '../kube/kubeConfig.ts';

export interface ConnectOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  /** How long to wait for an API server that does not answer, in milliseconds; 0: for ever. */
  readonly apiServerTimeout: number;
  /** Told the first time that it does not answer. */
  readonly onWaiting: (sentence: string) => void;
}

const retryEvery = 1000;

/** Finds the cluster and asks it once who it is, so that what is wrong with the kubeconfig is said at the start. */
export async function connect(options: ConnectOptions, clock: Clock): Promise<Result<KubeClient>> {
  const { kubeconfig, context, kubeApiQps: qps, kubeApiBurst: burst } = options;
  const access = loadKubeConfig({ kubeconfig, context }, process.env);
  if (!access.ok) return access;
  const client = createKubeClient({ access: access.value, clock, qps, burst });
  const failure = await greet(client, options, clock);
  if (failure === undefined) return ok(client);
  await client.close();
  return failed(asProblem(failure, client.server));
}

async function greet(client: KubeClient, options: ConnectOptions, clock: Clock): Promise<ApiFailure | undefined> {
  const began = clock.monotonic();
  for (let attempt = 1; ; attempt += 1) {
    const result = await client.call({ method: 'GET', path: '/api/v1', timeoutMs: 5000 });
    if (result.ok) return undefined;
    const isAway = ['network', 'timeout', 'unavailable', 'throttled'].includes(result.failure.kind);
    // Who may watch pods need not be allowed to see the list of resources.
    if (result.failure.kind === 'forbidden') return undefined;
    const isOver = options.apiServerTimeout > 0 && clock.monotonic() - began >= options.apiServerTimeout;
    if (!isAway || isOver) return result.failure;
    if (attempt === 1) options.onWaiting(describeFailure(result.failure, client.server));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, retryEvery));
  }
}

function asProblem(failure: ApiFailure, server: string): Problem {
  return problem(codeOf(failure), describeFailure(failure, server), '');
}

function codeOf({ kind }: ApiFailure) {
  if (kind === 'unauthorized') return 'CLUSTER_REFUSES';
  if (kind === 'credentials') return 'CLUSTER_CREDENTIALS';
  if (kind === 'network' || kind === 'timeout' || kind === 'unavailable' || kind === 'throttled') {
    return 'CLUSTER_UNREACHABLE';
  }
  return 'CLUSTER_NOT_KUBERNETES';
}
