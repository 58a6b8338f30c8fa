import { type ApiServer, type ApiServerOptions, createApiServer } from './apiserver/apiServer.ts';
import { seededRandom } from './base/random.ts';
import { type Client, createClient } from './client.ts';
import { type Clock, systemClock } from './clock/clock.ts';
import { startEndpointSlices } from './controllers/replicaSets.ts';
import { startWorkloads } from './controllers/workloads.ts';
import type { KubeletVersion } from './kubelet/backOff.ts';
import { startKubelet } from './kubelet/kubelet.ts';

export interface ClusterOptions extends ApiServerOptions {
  /** Default: the system clock. With `scaledClock(20)` the cluster runs 20 times as fast. */
  readonly clock?: Clock;
  /** The version of the kubelet whose status reports are simulated. Default 1.36. */
  readonly kubelet?: KubeletVersion;
  /** The seed of generated names and of the jitter of the kubelet; runs with the same seed are equal. Default 1. */
  readonly seed?: number;
}

/** A running cluster: an API server, the controllers of workloads and EndpointSlices, and a kubelet. */
export interface Cluster extends Pick<ApiServer, 'store' | 'requests' | 'setFaults'>, AsyncDisposable {
  /** `http://127.0.0.1:PORT`; any client of Kubernetes works with it, without credentials. */
  readonly url: string;
  readonly client: Client;
  stop(): Promise<void>;
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, kubelet = '1.36', seed = 1 } = options;
  const server = createApiServer({ random: seededRandom(seed), ...options, clock });
  const { store, requests, setFaults } = server;
  const stopFunctions = [
    startWorkloads(store, clock),
    startEndpointSlices(store, clock),
    startKubelet({ store, clock, version: kubelet, seed }),
  ];
  const { url, close } = await server.listen();
  async function stop(): Promise<void> {
    for (const stopController of stopFunctions) stopController();
    await close();
  }
  return { store, requests, setFaults, url, client: createClient(url), stop, [Symbol.asyncDispose]: stop };
}
