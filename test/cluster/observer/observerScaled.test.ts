import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { type Applying, applying, good } from '../support/observer/applying.ts';
import { at, deployment } from '../support/observer/observedObjects.ts';

const onlyTheImage = {
  spec: {
    template: {
      spec: {
        containers: [
          { name: 'observed', image: 'observed' },
          { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 },
        ],
      },
    },
  },
};

function scaled(replicas: number, image = 'web:1') {
  const { spec, ...rest } = deployment('web', { image });
  return { ...rest, spec: { ...objectOf(spec), replicas } };
}

async function scale(it: Applying, plan: Awaited<ReturnType<Applying['plan']>>, replicas: number) {
  await it.edit(plan, { spec: { replicas } }, { subresource: 'scale', manager: 'kubectl' });
}

suite('replicas that were scaled and have no owner', { concurrency: true }, () => {
  for (const steps of [[5], [0], [0, 4], [0, 1]]) {
    const to = steps.at(-1);
    test(`scaled to ${steps.join(' and then ')} are left alone by an update of another field, and set by an update of the replicas`, async (t) => {
      const it = await applying(t, 'scaled');
      const first = await it.plan(scaled(2), { observed: onlyTheImage });
      good(await it.api.create(first, it.signal));
      for (const replicas of steps) await scale(it, first, replicas);
      const second = await it.plan(scaled(2, 'web:2'), { observed: onlyTheImage, before: first });
      good(await it.api.update(second, await it.live(second), it.signal));
      assert.equal(at(await it.live(second), 'spec', 'replicas'), to);
      assert.equal(at(await it.live(second), 'spec', 'template', 'spec', 'containers', 0, 'image'), 'web:2');
      const third = await it.plan(scaled(3, 'web:2'), { observed: onlyTheImage, before: second });
      good(await it.api.update(third, await it.live(third), it.signal));
      assert.equal(at(await it.live(third), 'spec', 'replicas'), 3);
    });
  }

  test('replicas that are new in the manifest are set, whatever the default of the API server was', async (t) => {
    const it = await applying(t, 'scaled');
    const { replicas: _, ...spec } = objectOf(scaled(1).spec);
    const first = await it.plan({ ...scaled(1), spec }, { observed: onlyTheImage });
    good(await it.api.create(first, it.signal));
    // First as a restarted process, which does not know the previous manifest, and then as the process that applied it.
    const withoutMemory = await it.plan(scaled(3), { observed: onlyTheImage });
    good(await it.api.update(withoutMemory, await it.live(first), it.signal));
    assert.equal(at(await it.live(first), 'spec', 'replicas'), 3);
    await it.ns.cluster.api('DELETE', first.target.path);
    good(await it.api.create(first, it.signal));
    const after = await it.plan(scaled(4), { observed: onlyTheImage, before: first });
    good(await it.api.update(after, await it.live(first), it.signal));
    assert.equal(at(await it.live(first), 'spec', 'replicas'), 4);
  });
});
