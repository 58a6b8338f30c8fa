import { objectOf, textOf } from '@weeder/kube-runtime/base';
import type { Cleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { type PassingRequest, startRequestProxy } from './plane/requestProxy.ts';
import { type SceneOptions, setScene } from './scene.ts';
import { type StartOptions, startWeeder, type WeederProcess } from './weeder.ts';

/** A weeder process with leader election. `requests` has all its requests. */
export interface Replica extends WeederProcess {
  readonly requests: readonly PassingRequest[];
  /** The paths of its DELETE requests. */
  deletions(): string[];
  /** The number of its leadership terms. */
  terms(): number;
  /** Waits until it is the leader and its caches are synced; a further call waits for the next term. */
  untilLeader(): Promise<void>;
  untilStandby(): Promise<void>;
}

const name = 'dwd-weeder-leader-election';

/** What Kubernetes leaves a pod to end, by default. Milliseconds. */
export const gracePeriod = 30_000;

/** Flags of a replica; with durations during which no busy machine misses a renewal. */
export function elected(namespace: string): readonly string[] {
  return [
    '--enable-leader-election',
    `--leader-election-namespace=${namespace}`,
    '--leader-elect-lease-duration=3m',
    '--leader-elect-renew-deadline=2m',
  ];
}

/** The lease duration of `expiring`, in milliseconds. */
export const leaseDuration = 15_000;

/**
 * Flags for tests in which a Lease expires, which take precedence over those before them. The durations are as short as
 * possible without a leader that misses its renewals on a busy machine.
 */
export const expiring = [
  `--leader-elect-lease-duration=${leaseDuration}ms`,
  '--leader-elect-renew-deadline=10s',
  '--leader-elect-retry-period=1s',
];

/** Creates a scene for replicas of weeder that elect a leader in its namespace. */
export async function setReplicaScene(t: Cleanup, prefix: string, options: SceneOptions = {}) {
  const scene = await setScene(t, prefix, options);
  const { cluster, path } = scene.ns;
  const lease = path('apis/coordination.k8s.io/v1', 'leases', name);
  const specOf = async () => objectOf(objectOf((await cluster.send('GET', lease)).body)['spec']);
  return {
    scene,
    async start(given: Partial<StartOptions> = {}) {
      const proxy = await startRequestProxy(t, cluster, () => undefined);
      const weeder = startWeeder(t, {
        cluster,
        config: scene.config,
        kubeconfig: proxy.kubeconfig,
        ...given,
        flags: [...elected(scene.ns.name), ...(given.flags ?? expiring)],
      });
      const terms = () => weeder.log.find('this replica leads').length;
      let standbys = 0;
      let elections = 0;
      return {
        ...weeder,
        requests: proxy.requests,
        deletions: () => proxy.requests.filter(({ method }) => method === 'DELETE').map(({ path: pod }) => pod),
        terms,
        async untilLeader() {
          elections += 1;
          await weeder.log.until('caches synced, starting controller', {}, { count: elections });
        },
        async untilStandby() {
          standbys += 1;
          await weeder.log.until('another replica leads, standing by', {}, { count: standbys });
        },
      };
    },
    /** Waits for the Lease, and returns its holder. */
    holder: () =>
      eventually(
        async (saw) => {
          const spec = await specOf();
          saw(spec);
          return textOf(spec['holderIdentity']);
        },
        { what: `the Lease ${name}` },
      ),
    /** The time of the last renewal, by the clock of the holder. Milliseconds since the epoch. */
    renewed: async () => Date.parse(String((await specOf())['renewTime'])),
  };
}
