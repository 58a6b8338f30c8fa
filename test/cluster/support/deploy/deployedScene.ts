import type { Cleanup } from '../cleanup.ts';
import type { StartOptions } from '../cluster.ts';
import { eventsOf } from '../events.ts';
import { eventually } from '../eventually.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { running, setPodStatus } from '../observer/statuses.ts';
import { ownedPod } from '../restart/workloads.ts';
import { setScene } from '../scene.ts';
import { setSlice } from '../services.ts';
import { createAll, startDeployed, withConfig } from './deployed.ts';
import type { Manifest } from './kustomize.ts';

/** A scene for a weeder that is deployed by the manifests. Durations are milliseconds. */
export type DeployedScene = Awaited<ReturnType<typeof deployedScene>>;

/** Longer than a busy machine takes to create all objects and to start weeder. */
export const watchDuration = 300_000;

/** Creates the scene in a new namespace. `section`: further keys of the config. */
export async function deployedScene(
  t: Cleanup,
  prefix: string,
  cluster?: TestNamespace['cluster'],
  section: object = {},
) {
  const scene = await setScene(t, prefix, cluster === undefined ? {} : { cluster });
  const home = await testNamespace(t, 'home', scene.ns.cluster);
  const evicting = `evicting-${scene.ns.name}`;
  const evicted = { app: evicting };
  const config = {
    watchDuration: `${watchDuration / 1000}s`,
    declaredDependencies: { namespaces: [scene.ns.name] },
    ...section,
    servicesAndDependantSelectors: {
      [scene.service]: { podSelectors: [{ matchLabels: scene.labels }] },
      [evicting]: { podSelectors: [{ matchLabels: evicted }], deletion: 'evict' },
    },
  };
  let outages = 0;

  return {
    scene,
    /** The namespace of weeder. */
    home,
    config,
    /** Creates these objects with the config of the scene, and starts a replica of their workload. */
    async deploy(objects: readonly Manifest[], options?: Pick<StartOptions, 'flags' | 'expects'>) {
      const deployed = withConfig(objects, config);
      await createAll(t, home.cluster, deployed);
      return startDeployed(t, home, deployed, options);
    },
    /** Makes the service ready before weeder starts. Its pod has been ready for `ago`. */
    async recoverEarly(ago: number) {
      await ownedPod(scene.ns, 'backing', { labels: { app: 'backing' } });
      const readySince = new Date(Date.now() - ago);
      await setPodStatus(scene.ns, 'backing', { containers: { main: running() }, readySince });
      await setSlice(scene.ns, scene.service, { ready: [true], targetRefs: ['backing'] });
    },
    /** Waits until a Kubernetes Event reports `count` recoveries of the service (default 1). */
    untilReported: (count = 1) =>
      eventually(
        async (saw) => {
          const events = await eventsOf(scene.ns, 'reason=WindowOpened', `involvedObject.name=${evicting}`);
          saw(events);
          return events.some(({ series }) => (series?.count ?? 1) >= count);
        },
        { what: `an Event that counts to ${count}` },
      ),
    /** Lets the services go down and recover, with a crash-looping dependant to delete and one to evict. */
    async outage() {
      outages += 1;
      const services = [scene.service, evicting];
      for (const service of services) await setSlice(scene.ns, service, { ready: [false] });
      const pods = {
        deleted: await scene.pod(`deleted-${outages}`),
        evicted: await scene.pod(`evicted-${outages}`, undefined, { labels: evicted }),
      };
      for (const service of services) await setSlice(scene.ns, service, { ready: [true] });
      return pods;
    },
  };
}
