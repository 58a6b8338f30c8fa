import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { widgetDefinition } from '../../support/objects/definition.ts';
import { checkSuccessor } from '../../support/world/successor.ts';
import { eventually } from '../support/eventually.ts';
import type { TestNamespace } from '../support/namespace.ts';
import { untilAbsent } from '../support/observer/observedObjects.ts';
import { edit, makeClusterTenant, setObserverScene } from '../support/observer/observerScene.ts';
import { kubeClientFor } from '../support/plane/kubeClient.ts';

const labels = { app: 'nginx' };

/** The example of the Go original. */
function nginx(image = 'nginx:1.25', more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'nginx', labels, ...more },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'nginx', image, ports: [{ containerPort: 80 }] }] },
      },
    },
  };
}

const service: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'nginx' },
  spec: { selector: labels, ports: [{ port: 80, targetPort: 80 }] },
};

function versionOf(object: unknown): number {
  return Number(objectOf(objectOf(object)['metadata'])['resourceVersion']);
}

function imageOf(deployment: unknown): unknown {
  const template = objectOf(objectOf(objectOf(deployment)['spec'])['template']);
  return objectOf(arrayOf(objectOf(template['spec'])['containers'])[0])['image'];
}

suite('an application on a real API server', { concurrency: true }, () => {
  test('a write for a deleted application never reaches a new application of the same name', async (t) => {
    const { ns } = await setObserverScene(t, 'observer');
    const client = kubeClientFor(ns.cluster.kubeconfigFor('admin'));
    t.after(() => client.close());
    await checkSuccessor(client, ns.name);
  });

  test('an image changed by hand is corrected, and an unobserved label is left alone', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [nginx(), service] });
    await scene.untilInSync('shop');
    const path = ns.path('apis/apps/v1', 'deployments', 'nginx');
    await edit(ns, path, { metadata: { labels: { team: 'a' } } });
    const template = { spec: { containers: [{ name: 'nginx', image: 'evil:1', ports: [{ containerPort: 80 }] }] } };
    await edit(ns, path, { spec: { template } });
    await weeder.log.until('resource corrected', { resource: `Deployment ${ns.name}/nginx` });
    const now = objectOf(await ns.cluster.api('GET', path));
    assert.equal(imageOf(now), 'nginx:1.25');
    assert.equal(objectOf(objectOf(now['metadata'])['labels'])['team'], 'a');
  });

  test('a deleted resource is created again', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [nginx(), service] });
    await scene.untilInSync('shop');
    const path = ns.path('api/v1', 'services', 'nginx');
    const { metadata } = objectOf(await ns.cluster.api('GET', path));
    await ns.cluster.api('DELETE', path);
    await eventually(
      async () => {
        const answer = await ns.cluster.send('GET', path);
        return (
          answer.status === 200 && objectOf(objectOf(answer.body)['metadata'])['uid'] !== objectOf(metadata)['uid']
        );
      },
      { what: 'another Service' },
    );
  });

  test('an update and a deletion are in the order of the original’s table, as the API server saw them', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const deployment = ns.path('apis/apps/v1', 'deployments', 'nginx');
    await scene.watch('apis/apps/v1', 'deployments');
    await scene.watch('api/v1', 'services');
    await scene.watch('apis/weeder.dev/v1alpha1', 'applications');
    /** Waits until the watch has delivered the latest version, and returns all images so far. */
    const images = async () => {
      const latest = versionOf(await ns.cluster.api('GET', deployment));
      const seen = () => scene.changes.filter(({ kind }) => kind === 'Deployment').map(({ object }) => object);
      await eventually(() => seen().some((each) => versionOf(each) >= latest), { what: 'the latest version' });
      return [...new Set(seen().map(imageOf))];
    };

    // Create: applied, then observed.
    await scene.apply('shop', { manifests: [nginx(), service] });
    await scene.untilInSync('shop');
    // Each kind has a watch of its own.
    const changes = await eventually(
      () => {
        const additions = scene.changes.filter(({ type, kind }) => type === 'ADDED' && kind !== 'Application');
        return (
          additions.length === 2 && additions.toSorted((one, other) => versionOf(one.object) - versionOf(other.object))
        );
      },
      { what: 'both objects on the watches' },
    );
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['Service', 'Deployment'],
    );

    // Update: while it is applied nothing is corrected, and afterwards the newest state is observed.
    await scene.apply('shop', { manifests: [nginx('nginx:1.26'), service] });
    await eventually(async () => imageOf(await ns.cluster.api('GET', deployment)) === 'nginx:1.26', {
      what: 'the update',
    });
    await scene.untilInSync('shop');
    assert.deepEqual(await images(), ['nginx:1.25', 'nginx:1.26']);
    await editImage(ns, deployment, 'evil:1');
    await weeder.log.until('resource corrected');
    assert.deepEqual(await images(), ['nginx:1.25', 'nginx:1.26', 'evil:1']);
    assert.equal(imageOf(await ns.cluster.api('GET', deployment)), 'nginx:1.26');

    // Delete: the observer is stopped first, so nothing deleted is created again; the application is deleted last.
    const before = scene.changes.length;
    await ns.cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop'));
    const kinds = await eventually(
      () => {
        const deleted = scene.changes.slice(before).filter(({ type }) => type === 'DELETED');
        return deleted.length === 3 && deleted.map(({ kind }) => kind);
      },
      { what: 'the end of all three' },
    );
    // Both are of one stage, in which none waits for another; the finalizer delays the application’s end.
    assert.deepEqual(new Set(kinds), new Set(['Deployment', 'Service', 'Application']));
    const endOf = (kind: string) =>
      versionOf(scene.changes.findLast((each) => each.kind === kind && each.type === 'DELETED')?.object);
    assert.ok(endOf('Application') > Math.max(endOf('Deployment'), endOf('Service')));
    assert.deepEqual(
      scene.changes.slice(before).filter(({ type }) => type === 'ADDED'),
      [],
    );
  });

  test('a resource applied in a version that is no longer served is deleted anyway', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    const group = `g${ns.name.replace(/^observer-/, '')}.example.org`;
    const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;
    t.after(() => ns.cluster.send('DELETE', crd));
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = (isOldServed: boolean) => [
      { name: 'v1', served: isOldServed, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ];
    await ns.cluster.api('POST', crd.replace(/\/widgets\..*$/, ''), {
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
        versions: versions(true),
      },
    });
    await scene.start(t);
    const widget = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name } });
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };
    await scene.apply('pruned', { manifests: [widget('left'), settings] });
    await scene.apply('deleted', { manifests: [widget('all')] });
    await scene.untilInSync('pruned');
    await scene.untilInSync('deleted');

    await edit(ns, crd, { spec: { versions: versions(false) } });
    const old = ns.path(`apis/${group}/v1`, 'widgets');
    const now = (name: string) => ns.path(`apis/${group}/v2`, 'widgets', name);
    await untilAbsent(ns.cluster, old, 'the end of v1');
    assert.equal((await ns.cluster.send('GET', now('left'))).status, 200);
    await scene.apply('pruned', { manifests: [settings] });
    await ns.cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', 'deleted'));
    const isAbsent = async (path: string) => (await ns.cluster.send('GET', path)).status === 404;
    await eventually(() => isAbsent(now('left')), { what: 'the end of what left the manifests' });
    await eventually(() => isAbsent(now('all')), { what: 'the end of what the application had' });
    const application = ns.path('apis/weeder.dev/v1alpha1', 'applications', 'deleted');
    await eventually(() => isAbsent(application), { what: 'the end of the application' });
    await scene.untilInSync('pruned');
  });

  test('a resource that leaves the manifests is deleted, another client’s object is not, and with orphan no resource is', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    await scene.start(t);
    await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), { metadata: { name: 'mine' } });
    await scene.apply('shop', { manifests: [nginx(), service], deletionPolicy: 'delete' });
    await scene.untilInSync('shop');
    await scene.apply('shop', { manifests: [nginx()], deletionPolicy: 'delete' });
    await eventually(
      async () => (await ns.cluster.send('GET', ns.path('api/v1', 'services', 'nginx'))).status === 404,
      {
        what: 'the end of the Service',
      },
    );
    await scene.apply('shop', { manifests: [nginx()], deletionPolicy: 'orphan' });
    await scene.untilInSync('shop');
    const application = ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop');
    await ns.cluster.api('DELETE', application);
    await untilAbsent(ns.cluster, application, 'its end');
    const left = objectOf(await ns.cluster.api('GET', ns.path('apis/apps/v1', 'deployments', 'nginx')));
    assert.deepEqual(objectOf(objectOf(left['metadata'])['labels']), labels);
    await ns.cluster.api('GET', ns.path('api/v1', 'configmaps', 'mine'));
  });

  test('a namespace with an application in it can be deleted', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [nginx(), service] });
    await scene.untilInSync('shop');
    await ns.cluster.api('DELETE', `/api/v1/namespaces/${ns.name}`);
    await eventually(async () => (await ns.cluster.send('GET', `/api/v1/namespaces/${ns.name}`)).status === 404, {
      what: 'the end of the namespace',
    });
  });

  test('a kind and its instance in one application: the definition is applied first, then the instance', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    await scene.start(t);
    const group = `g${ns.name.replace(/^observer-/, '')}.example.org`;
    const crd = widgetDefinition(group, { size: { type: 'integer' } });
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 3 } };
    await makeClusterTenant(ns);
    await scene.apply('shop', { manifests: [widget, crd] });
    await scene.untilInSync('shop');
    const path = ns.path(`apis/${group}/v1`, 'widgets', 'one');
    await edit(ns, path, { spec: { size: 4 } });
    await eventually(async () => objectOf(objectOf(await ns.cluster.api('GET', path))['spec'])['size'] === 3, {
      what: 'the restored size',
    });
  });

  for (const scaled of [3, 0])
    test(`without a schema, replicas that another client scales to ${scaled} are left alone, also by the next weeder, and the rest is corrected`, async (t) => {
      const scene = await setObserverScene(t, 'observer');
      const { ns } = scene;
      const first = await scene.start(t);
      await scene.apply('shop', { manifests: [nginx()] });
      await scene.untilInSync('shop');
      const path = ns.path('apis/apps/v1', 'deployments', 'nginx');
      const replicas = async () => objectOf(objectOf(await ns.cluster.api('GET', path))['spec'])['replicas'];
      await edit(ns, `${path}/scale`, { spec: { replicas: scaled } }, 'autoscaler');
      await first.log.until('resource applied', { how: 'updated' });
      await scene.untilInSync('shop');
      await editImage(ns, path, 'evil:1');
      await first.log.until('resource corrected');
      assert.deepEqual([await replicas(), imageOf(await ns.cluster.api('GET', path))], [scaled, 'nginx:1.25']);
      await first.stop();
      await scene.start(t);
      await editImage(ns, path, 'evil:2');
      // The edit may come before the next weeder's first check: then an update restores the value, no correction.
      await eventually(async () => imageOf(await ns.cluster.api('GET', path)) === 'nginx:1.25', {
        what: 'the restored image',
      });
      await scene.untilInSync('shop');
      assert.equal(await replicas(), scaled);
    });

  test('a change made while no weeder runs is corrected when one starts', async (t) => {
    const scene = await setObserverScene(t, 'observer');
    const { ns } = scene;
    const first = await scene.start(t);
    await scene.apply('shop', { manifests: [nginx(), service] });
    await scene.untilInSync('shop');
    await first.stop();
    const path = ns.path('apis/apps/v1', 'deployments', 'nginx');
    await editImage(ns, path, 'evil:1');
    const second = await scene.start(t);
    await second.log.until('resource corrected');
    assert.equal(imageOf(await ns.cluster.api('GET', path)), 'nginx:1.25');
    assert.deepEqual(second.log.find('resource applied'), []);
  });
});

function editImage(ns: TestNamespace, path: string, image: string) {
  const template = { spec: { containers: [{ name: 'nginx', image, ports: [{ containerPort: 80 }] }] } };
  return edit(ns, path, { spec: { template } });
}
