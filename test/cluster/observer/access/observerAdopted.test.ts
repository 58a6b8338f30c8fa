import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { takenFromKubectl } from '../../../../src/observer/apply/takeOver.ts';
import { type Applying, applying, good, type PlanOptions } from '../../support/observer/applying.ts';
import { at, containersOf, namesIn } from '../../support/observer/observedObjects.ts';

interface Parts {
  readonly labels: JsonObject;
  readonly env: readonly string[];
  readonly containers: readonly string[];
}

const fullParts: Parts = { labels: { app: 'web', team: 'a' }, env: ['A', 'B'], containers: ['web', 'sidecar'] };
const less: Parts = { labels: { app: 'web' }, env: ['A'], containers: ['web'] };

function deployment({ labels, env, containers }: Parts): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: containers.map((name) => ({
            name,
            image: `${name}:1`,
            ...(name === 'web' ? { env: env.map((each) => ({ name: each, value: '1' })) } : {}),
          })),
        },
      },
    },
  };
}

/** As `kubectl apply` creates it without `--server-side`, with a label that no manifest of weeder's has. */
async function made(it: Applying, manager: string) {
  const object = deployment({ ...fullParts, labels: { ...fullParts.labels, theirs: 'yes' } });
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object) };
  const metadata = { ...objectOf(object['metadata']), annotations };
  const path = it.ns.path('apis/apps/v1', 'deployments');
  await it.ns.cluster.api('POST', `${path}?fieldManager=${manager}`, { ...object, metadata });
}

/** Taken over as a whole, and then updated to the smaller manifest, by a process that knows both or only one. */
async function takenOver(t: Parameters<typeof applying>[0], manager: string, options: PlanOptions, knows: boolean) {
  const it = await applying(t, 'adopted');
  await made(it, manager);
  const first = await it.plan(deployment(fullParts), options);
  good(await it.api.create(first, it.signal));
  const second = await it.plan(deployment(less), { ...options, ...(knows ? { before: first } : {}) });
  good(await it.api.update(second, await it.live(second), it.signal));
  const live = await it.live(second);
  return {
    it,
    live,
    labels: Object.keys(objectOf(at(live, 'metadata', 'labels'))).filter((name) => !name.startsWith('weeder.dev/')),
    env: namesIn(
      at(
        containersOf(live).find(({ name }) => name === 'web'),
        'env',
      ),
    ),
    containers: namesIn(containersOf(live)),
  };
}

const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});
const onlyTheImage = {
  spec: { template: { spec: { containers: [{ name: null, image: null }, bounds(1, 0)] } } },
};

suite('objects that another client created and an application took over', { concurrency: true }, () => {
  for (const manager of ['kubectl-client-side-apply', 'kubectl-create', 'kubectl'])
    for (const [what, options] of [
      ['observed as a whole', {}],
      ['observed in part', { observed: onlyTheImage }],
    ] as const)
      test(`created by ${manager} and ${what}, they lose what leaves the manifest, and nothing that was never in it`, async (t) => {
        const { it, live, labels, env, containers } = await takenOver(t, manager, options, true);
        assert.deepEqual([labels.sort(), env, containers], [['app', 'theirs'], ['A'], ['web']]);
        assert.equal(takenFromKubectl(live, it.owner), undefined, 'nothing more is to be taken');
      });

  test('created by kubectl-client-side-apply, they lose it also if another weeder makes the update', async (t) => {
    const { labels, env, containers } = await takenOver(t, 'kubectl-client-side-apply', {}, false);
    assert.deepEqual([labels.sort(), env, containers], [['app', 'theirs'], ['A'], ['web']]);
  });

  test('created by an apply, they lose it once that manager has applied nothing but the identity', async (t) => {
    const it = await applying(t, 'adopted');
    const path = it.ns.path('apis/apps/v1', 'deployments', 'web');
    const apply = (object: JsonObject) =>
      it.ns.cluster.api(
        'PATCH',
        `${path}?fieldManager=argocd-controller&force=true`,
        object,
        'application/apply-patch+yaml',
      );
    await apply(deployment(fullParts));
    const first = await it.plan(deployment(fullParts));
    good(await it.api.create(first, it.signal));
    await apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });
    assert.equal(at(await it.live(first), 'metadata', 'labels', 'team'), 'a');
    const second = await it.plan(deployment(less), { before: first });
    good(await it.api.update(second, await it.live(second), it.signal));
    assert.equal(at(await it.live(second), 'metadata', 'labels', 'team'), undefined);
    assert.deepEqual(namesIn(containersOf(await it.live(second))), ['web']);
  });

  test('created by another controller, they retain the fields that this controller has written', async (t) => {
    const { labels, env, containers } = await takenOver(t, 'some-controller', {}, true);
    assert.deepEqual([labels.sort(), env, containers.length], [['app', 'team', 'theirs'], ['A', 'B'], 2]);
  });
});
