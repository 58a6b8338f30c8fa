import type { Cleanup } from '../cleanup.ts';
import { createAll, type DeployedWeeder, startDeployed, withConfig } from '../deploy/deployed.ts';
import type { Manifest } from '../deploy/kustomize.ts';
import { create } from '../manifests.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { installApplications } from './applicationCrd.ts';
import { applicationOf, makeTenant } from './observerScene.ts';

/** A namespace with an account that has all permissions in it, and weeder's own. */
export interface DeployedApplications {
  readonly ns: TestNamespace;
  /** Weeder's own namespace. */
  readonly home: TestNamespace;
  /** Creates these objects, with `observer: {}` in the ConfigMap, and starts a replica of what they deploy. */
  deploy(objects: readonly Manifest[]): Promise<DeployedWeeder>;
  /** Creates an application `all` of these manifests. */
  apply(manifests: readonly object[]): Promise<void>;
}

export async function deployedApplications(
  t: Cleanup,
  cluster?: TestNamespace['cluster'],
): Promise<DeployedApplications> {
  const ns = await testNamespace(t, 'applications', cluster);
  const home = await testNamespace(t, 'home', ns.cluster);
  await installApplications(ns.cluster);
  await makeTenant(ns);
  return {
    ns,
    home,
    async deploy(objects) {
      // There is one CRD for all tests.
      const others = objects.filter(({ kind }) => kind !== 'CustomResourceDefinition');
      const deployed = withConfig(others, { observer: {} });
      await createAll(t, ns.cluster, deployed);
      return startDeployed(t, home, deployed, { flags: [`--namespaces=${ns.name}`] });
    },
    apply: (manifests) => create(ns.cluster, applicationOf(ns, { manifests }, 'all')),
  };
}
