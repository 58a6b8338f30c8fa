import {
  configured,
  downAgain,
  downNamespaces,
  isReadyAtStart,
  loopingPods,
  names,
  namespaces,
  recovered,
} from '../../../support/scene/services.ts';
import type { Cleanup } from '../cleanup.ts';
import { denyPodDeletion } from '../deploy/policies.ts';
import { newNamespace, type TestNamespace } from '../namespace.ts';
import { crashLoopBackOff, setPodStatus, terminated } from '../observer/statuses.ts';
import type { Cluster } from '../plane/access.ts';
import { barePod, ownedPod } from '../restart/workloads.ts';
import { setSlice } from '../services.ts';
import type { RunningWeeder } from '../weeder.ts';

const minute = 60_000;

/** What the config says of the services. The windows outlast the test. */
export function servicesSection(): object {
  const settings = configured.map(({ name, ...each }) => [name, { ...each, watchDuration: '1h' }]);
  return Object.fromEntries(settings);
}

/** The services of the scene on a real API server. */
export async function createOutageServices(t: Cleanup, cluster: Cluster) {
  const homes = new Map<string, TestNamespace>();
  const set = async (namespace: string, services: readonly string[], isReady: (service: string) => boolean) => {
    const home = homes.get(namespace) ?? (await newNamespace(cluster, namespace, t));
    homes.set(namespace, home);
    await Promise.all(services.map((service) => setSlice(home, service, { ready: [isReady(service)] })));
    return home;
  };
  await Promise.all(
    namespaces.map((namespace) => set(namespace, names, (service) => isReadyAtStart(namespace, service))),
  );
  const [first] = downNamespaces;

  return {
    /** The outage, the pods, and the recovery of some services, each as soon as weeder has seen the one before. */
    async breakThem({ log }: Pick<RunningWeeder, 'log'>) {
      const until = (message: string, count: number) => log.until(message, {}, { count });
      await Promise.all(downNamespaces.map((namespace) => set(namespace, names, () => false)));
      await until('service is down', 2 * names.length);
      await Promise.all(
        loopingPods.map(async ({ namespace, name, labels, annotations = {}, isBare, isUnreported }) => {
          const home = homes.get(namespace);
          if (home === undefined) throw new Error(namespace);
          const create = isBare === true ? barePod : ownedPod;
          await create(home, name, { labels: { ...labels, pod: name }, annotations });
          const finishedAt = new Date(Date.now() - minute);
          const state = isUnreported === true ? terminated(3, { finishedAt }) : crashLoopBackOff(3);
          await setPodStatus(home, name, state);
          if (name === 'refused') await denyPodDeletion(home, { labels: { pod: name }, reason: 'Forbidden' });
        }),
      );
      await set(first, recovered, () => true);
      await until('service recovered, window opened', recovered.length);
      await log.until('pod deleted', { pod: `${first}/deleted` });
      await set(first, downAgain, () => false);
    },
  };
}
