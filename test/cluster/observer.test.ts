import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '../../src/json.ts';
import { eventually } from './support/eventually.ts';
import { edit, setObserverScene } from './support/observerScene.ts';

const labels = { app: 'nginx' };

/** The seed's example. */
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

function imageOf(deployment: unknown): unknown {
  const template = objectOf(objectOf(objectOf(deployment)['spec'])['template']);
  return objectOf(arrayOf(objectOf(template['spec'])['containers'])[0])['image'];
}

suite('an application on a real API server', { concurrency: true }, () => {
  test('an image that is changed by hand is corrected, and a label that nobody observes stays', async (t) => {
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

  test('a resource that is deleted comes back', async (t) => {
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
});
