import type { Cleanup } from '../cleanup.ts';
import { createAll, startDeployed, withConfig } from '../deploy/deployed.ts';
import type { Manifest } from '../deploy/kustomize.ts';
import { create } from '../manifests.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { installApplications } from './applicationCrd.ts';
import { applicationOf, makeTenant } from './observerScene.ts';

/** A namespace with an account that has all permissions in it, and weeder's own. */
export type DeployedApplications = Awaited<ReturnType<typeof deployedApplications>>;

export async function deployedApplications(t: Cleanup, cluster?: TestNamespace['cluster']) {
  const ns = await testNamespace(t, 'applications', cluster);
  const home = await testNamespace(t, 'home', ns.cluster);
  await installApplications(ns.cluster);
  await makeTenant(ns);
  return {
    ns,
    /** Weeder's own namespace. */
    home,
    /** Creates these objects, with `observer: {}` in the ConfigMap, and starts a replica of what they deploy. */
    async deploy(objects: readonly Manifest[]) {
      // There is one CRD for all tests.
      const others = objects.filter(({ kind }) => kind !== 'CustomResourceDefinition');
      const deployed = withConfig(others, { observer: {} });
      await createAll(t, ns.cluster, deployed);
      return startDeployed(t, home, deployed, { flags: [`--namespaces=${ns.name}`] });
    },
    /** Creates an application `all` of these manifests. */
    apply: (manifests: readonly object[]) => create(ns.cluster, applicationOf(ns, { manifests }, 'all')),
  };
}
