import type { Cleanup } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { errorsOf } from '../manifests.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';

/** Creates a namespace that enforces the Pod Security Standard `restricted`, with warnings. */
export async function restrictedNamespace(t: Cleanup): Promise<TestNamespace> {
  const ns = await testNamespace(t, 'restricted');
  const labels = Object.fromEntries(
    ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
  );
  const path = `/api/v1/namespaces/${ns.name}`;
  await ns.cluster.api('PATCH', path, { metadata: { labels } });
  // The admission plugin observes the labels with a delay.
  const privileged = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'privileged', namespace: ns.name },
    spec: { hostNetwork: true, containers: [{ name: 'main', image: 'none:1' }] },
  };
  await eventually(async () => (await errorsOf(ns.cluster, privileged)).join().includes('PodSecurity'), {
    what: `that ${ns.name} admits only restricted pods`,
  });
  return ns;
}
