import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { startDeployed, withConfig } from '../../cluster/support/deploy/deployed.ts';
import type { Manifest } from '../../cluster/support/deploy/kustomize.ts';
import { customised } from '../../cluster/support/deploy/overlays.ts';
import { eventually } from '../../cluster/support/eventually.ts';
import { pathOf } from '../../cluster/support/manifests.ts';
import { type TestNamespace, testNamespace } from '../../cluster/support/namespace.ts';
import { at, configMap } from '../../cluster/support/observer/observedObjects.ts';
import { applicationOf, makeAccount, tenantOf } from '../../cluster/support/observer/observerScene.ts';
import type { GitOpsTool } from './gitOpsTool.ts';

/** The manifests of weeder with all controllers for this namespace. */
async function manifestsFor({ name: namespace }: TestNamespace): Promise<readonly Manifest[]> {
  const rendered = await customised('single', { namespace, components: ['restart-control', 'observer'] });
  return withConfig(rendered, { restartControl: { rules: [{}] }, observer: {} });
}

/** The hash key in the Secret that is empty in Git; undefined while weeder has not written it. */
export async function hashKeyIn({ cluster, path }: TestNamespace): Promise<unknown> {
  return objectOf(await cluster.api('GET', path('api/v1', 'secrets', 'weeder-hash-key')))['data'];
}

/** Waits until all controllers of an installed weeder have written what they write of their own manifests. */
async function untilAtWork(ns: TestNamespace): Promise<void> {
  await eventually(() => hashKeyIn(ns), { what: 'the hash key' });
  await eventually(
    async () => {
      const own = await ns.cluster.api('GET', ns.path('apis/apps/v1', 'deployments', 'weeder'));
      return at(own, 'metadata', 'annotations', 'weeder.dev/dependencies') !== undefined;
    },
    { what: 'that weeder adopts its own Deployment' },
  );
  await eventually(
    async () => (await ns.cluster.send('GET', ns.path('api/v1', 'configmaps', 'settings'))).status === 200,
    {
      what: 'the ConfigMap of the Application',
    },
  );
}

/** Registers the test of an installation from Git. It has to be the first that installs the CRD of Applications. */
export function testInstallation(tool: () => GitOpsTool): void {
  test('weeder is installed with its CRD and an Application by one commit, and nothing that it writes is reverted', async (t) => {
    const ns = await testNamespace(t, 'installed');
    const { cluster } = ns;
    await makeAccount(ns, 'default');
    const objects = await manifestsFor(ns);
    const application = applicationOf(ns, { manifests: [configMap('settings', { a: '1' })] });
    const manifests = [...objects, tenantOf(ns), application];
    const followed = await tool().follow(ns);
    await followed.commit(...manifests);
    await followed.untilApplied();
    const weeder = await startDeployed(t, ns, objects, { flags: [`--namespaces=${ns.name}`] });
    await untilAtWork(ns);

    /** Everything in Git as it is in the cluster, except what changes with each write. */
    const live = () =>
      Promise.all(
        manifests.map(async (object) => {
          const liveObject = objectOf(await cluster.api('GET', `${pathOf(object)}/${object.metadata.name}`));
          const { name, uid, labels, annotations } = objectOf(liveObject['metadata']);
          const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...others } = objectOf(annotations);
          return { ...liveObject, metadata: { name, uid, labels, annotations: others }, status: undefined };
        }),
      );
    const before = await live();
    await followed.compare();
    await followed.untilApplied();
    assert.deepEqual(await live(), before);

    const touched = { 'example.org/touched': 'yes' };
    const touch = ({ metadata, ...object }: JsonObject): JsonObject => {
      const { annotations, ...others } = objectOf(metadata);
      return { ...object, metadata: { ...others, annotations: { ...objectOf(annotations), ...touched } } };
    };
    await followed.commit(...manifests.map(touch));
    await followed.untilApplied();
    assert.deepEqual(await live(), before.map(touch));
    await weeder.stop();
  });
}
