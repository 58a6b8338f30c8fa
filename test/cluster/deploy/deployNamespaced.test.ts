import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { isAllowed, setSlice, testNamespace, watchDeletions } from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { rulesOf, Workload, workloadKinds } from '../support/deploy/deployed.ts';
import { deployedScene } from '../support/deploy/deployedScene.ts';
import { deployFolder, render } from '../support/deploy/kustomize.ts';
import { namespacedFor } from '../support/deploy/overlays.ts';
import { isClusterScoped, named } from '../support/manifests.ts';

const overlay = join(deployFolder, 'overlays', 'namespaced');
const alternatives = ['no-weeding', 'restart-control-configmaps', 'restart-control-named', 'observer-named'];
const components = readdirSync(join(deployFolder, 'components')).filter((name) => !alternatives.includes(name));
const Binding = z.looseObject({ subjects: z.array(z.looseObject({ namespace: z.string().optional() })).optional() });

suite('the namespaced overlay', { concurrency: true }, () => {
  test('weeder deletes pods in the namespaces that have its Role, and in no others', async (t) => {
    const { scene, home, deploy } = await deployedScene(t, 'first');
    const { cluster } = home;
    const [second, other] = [await testNamespace(t, 'second'), await testNamespace(t, 'other')];
    const places = await Promise.all(
      [second, other].map(async (ns) => ({
        ns,
        observer: await watchDeletions(ns),
        pod: await scene.pod('web', undefined, { ns }),
      })),
    );
    const weeder = await deploy(await namespacedFor(home.name, [scene.ns.name, second.name]));
    await weeder.ready();
    const user = `system:serviceaccount:${home.name}:weeder`;
    for (const [namespace, allowed] of [
      [scene.ns.name, true],
      [second.name, true],
      [other.name, false],
      [home.name, false],
    ] as const) {
      assert.equal(await isAllowed(cluster, user, { verb: 'delete', group: '', resource: 'pods', namespace }), allowed);
    }
    const pod = await scene.pod('web');
    for (const ns of [other, second, scene.ns]) {
      await setSlice(ns, scene.service, { ready: [false] });
      await setSlice(ns, scene.service, { ready: [true] });
    }
    await scene.untilDeleted(pod);
    const [inSecond, inOther] = places;
    await inSecond?.observer.untilDeleted(inSecond.pod.metadata.uid);
    await inOther?.observer.caughtUp();
    assert.deepEqual(inOther?.observer.deletions(), []);
    assert.deepEqual(denials(weeder), []);
  });

  test('with every component, all objects and subjects are in the namespace of weeder or in a watched one', async () => {
    const objects = await namespacedFor('garden', ['one', 'two'], components);
    const places = new Map<string, string[]>();
    for (const object of objects.filter((each) => !isClusterScoped(each))) {
      const { namespace = 'none' } = object.metadata;
      places.set(namespace, [...(places.get(namespace) ?? []), named(object)].sort());
    }
    assert.deepEqual(Object.fromEntries(places), {
      garden: [
        'ConfigMap weeder',
        'ConfigMap weeder-dashboard',
        'Deployment weeder',
        'NetworkPolicy weeder',
        'PodMonitor weeder',
        'PrometheusRule weeder',
        'Role weeder-events',
        'Role weeder-hash-key',
        'RoleBinding weeder-events',
        'RoleBinding weeder-hash-key',
        'Secret weeder-hash-key',
        'Service weeder-metrics',
        'ServiceAccount weeder',
        'ServiceMonitor weeder',
      ],
      one: ['Role weeder', 'RoleBinding weeder'],
      two: ['Role weeder', 'RoleBinding weeder'],
    });
    const subjects = objects.flatMap((each) => Binding.parse(each).subjects ?? []);
    assert.deepEqual(new Set(subjects.map(({ namespace }) => namespace)), new Set(['garden']));
  });

  test('the overlay has no ClusterRole, and a Role with the same rules in each watched namespace', async () => {
    const objects = await render(overlay);
    assert.deepEqual(
      objects.filter(({ kind }) => kind.startsWith('Cluster')),
      [],
    );
    const base = await render(join(deployFolder, 'base'));
    const [clusterRules] = base.map(rulesOf).filter((rules) => rules.length > 0);
    const watching = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace !== 'weeder');
    for (const role of watching) assert.deepEqual(rulesOf(role), clusterRules);
    const workload = objects.find(({ kind }) => workloadKinds.includes(kind));
    const [{ args }] = Workload.parse(workload).spec.template.spec.containers;
    const names = watching.map(({ metadata }) => metadata.namespace);
    assert.ok(args.includes(`--namespaces=${names.sort()}`), args.join(' '));
  });
});
