import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { resourceRequests } from '../../../../src/observer/apply/resourceRequests.ts';
import { annotationName, labelName, ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import { type Applying, applying, bad, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

/** Image and one of two env variables are observed; replicas, args, limits and the other variable are not. */
const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { tier: 'front', shift: 'day' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'registry.invalid/web:1',
            args: ['--fast'],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        ],
      },
    },
  },
};
const observedOfWeb = {
  metadata: { name: 'web', labels: { tier: 'observed' } },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'observed',
            image: 'observed',
            env: [
              { name: 'observed', value: 'observed' },
              { observer_schema_list_min_length: 1, observer_schema_list_max_length: 0 },
            ],
          },
          { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 },
        ],
      },
    },
  },
};

const settings = (data: JsonObject) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data });
const container = (object: unknown) => at(object, 'spec', 'template', 'spec', 'containers', 0);

/** By manager: the paths that it owns. */
function managersOf(object: JsonObject): Readonly<Record<string, string>> {
  const entries = arrayOf(at(object, 'metadata', 'managedFields')).map(objectOf);
  return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [String(manager), JSON.stringify(fieldsV1)]));
}

/** Those of the application's two managers that own something. */
function oursOf(object: JsonObject): readonly string[] {
  return Object.keys(managersOf(object)).filter((name) => name.startsWith('weeder'));
}

async function tookPlace(it: Applying, object: JsonObject, observed?: JsonObject) {
  const plan = await it.plan(object, observed === undefined ? {} : { observed });
  return { plan, applied: good(await it.api.create(plan, it.signal)) };
}

suite('what the observer creates, and what it takes over', { concurrency: true }, () => {
  test('a resource is created in one request; with the first correction the observed fields have their own manager', async (t) => {
    const it = await applying(t, 'create');
    const { plan, applied } = await tookPlace(it, web, observedOfWeb);
    assert.deepEqual([applied.isNew, applied.hasChanged], [true, true]);
    const createdObject = await it.live(plan);
    assert.equal(at(createdObject, 'spec', 'replicas'), 2);
    assert.deepEqual(at(container(createdObject), 'args'), ['--fast']);
    assert.equal(at(createdObject, 'metadata', 'labels', labelName), it.owner.label);
    assert.equal(at(createdObject, 'metadata', 'annotations', annotationName), `${it.ns.name}/shop`);
    assert.equal(at(createdObject, 'metadata', 'generation'), 1);
    assert.deepEqual(oursOf(createdObject), [it.owner.init]);
    await it.edit(plan, { metadata: { labels: { tier: 'theirs', shift: 'night' } } });
    const drift = { path: '.metadata.labels.tier', desired: 'front', found: 'theirs', type: 'changed' } as const;
    good(await it.api.correct(plan, await it.live(plan), [drift], it.signal));
    const live = await it.live(plan);
    assert.deepEqual(
      [at(live, 'metadata', 'labels', 'tier'), at(live, 'metadata', 'labels', 'shift')],
      ['front', 'night'],
    );
    const { [it.owner.own]: own = '', [it.owner.init]: init = '' } = managersOf(live);
    for (const observed of ['f:image', '{\\"name\\":\\"A\\"}', 'f:tier', labelName])
      assert(own.includes(observed), observed);
    for (const unobserved of ['f:replicas', 'f:args', '{\\"name\\":\\"B\\"}', 'f:selector', 'f:shift'])
      assert(!own.includes(unobserved), unobserved);
    for (const unobserved of ['f:replicas', 'f:args', '{\\"name\\":\\"B\\"}', 'f:selector'])
      assert(init.includes(unobserved), unobserved);
  });

  test('without a schema one request creates the object, and the API server stores one manager of it', async (t) => {
    const it = await applying(t, 'create-all');
    const plan = await it.plan(settings({ a: '1', 'b.c': '2' }));
    const methods: string[] = [];
    const counted = resourceRequests({
      ...it.client,
      call(request) {
        methods.push(request.method);
        return it.client.call(request);
      },
    });
    const applied = good(await counted.create(plan, it.signal, true));
    assert.deepEqual(methods, ['PATCH']);
    assert.deepEqual([applied.isNew, applied.hasChanged], [true, true]);
    const live = await it.live(plan);
    assert.deepEqual(Object.keys(managersOf(live)), [it.owner.own]);
    assert.deepEqual(at(live, 'data'), { a: '1', 'b.c': '2' });
    assert.equal(at(live, 'metadata', 'resourceVersion'), at(applied.object, 'metadata', 'resourceVersion'));
  });

  for (const done of [1, 2, 3]) {
    test(`an adoption that was interrupted after ${done} of its requests is completed by the next one`, async (t) => {
      const it = await applying(t, 'adopt-ended');
      const plan = await it.plan(web, { observed: observedOfWeb });
      const theirs = async ({ ns }: Applying, { target }: typeof plan) =>
        ns.cluster.api('POST', `${target.collection}?fieldManager=kubectl-create`, web);
      await theirs(it, plan);
      let writes = 0;
      const dying = resourceRequests({
        ...it.client,
        call: (request) => {
          if (request.method === 'PATCH') writes += 1;
          return writes > done
            ? Promise.resolve({ ok: false, failure: { type: 'network', message: 'the process ended' } })
            : it.client.call(request);
        },
      });
      assert.equal((await dying.create(plan, it.signal)).ok, done === 3);
      good(await it.api.create(plan, it.signal));
      const live = await it.live(plan);
      const whole = await applying(t, 'adopt-whole');
      const other = await whole.plan(web, { observed: observedOfWeb });
      await theirs(whole, other);
      good(await whole.api.create(other, whole.signal));
      const expected = managersOf(await whole.live(other));
      assert.deepEqual(oursOf(live).toSorted(), [it.owner.own, it.owner.init].toSorted());
      const managers = managersOf(live);
      assert.equal(
        managers[it.owner.own]?.replaceAll(it.owner.label, ''),
        expected[whole.owner.own]?.replaceAll(whole.owner.label, ''),
      );
      assert.equal(managers[it.owner.init], expected[whole.owner.init]);
      assert.deepEqual(at(live, 'spec', 'template'), at(await whole.live(other), 'spec', 'template'));
    });
  }

  for (const isAbsent of [false, true]) {
    const how = isAbsent ? 'taken to be absent' : 'read before';

    test(`an existing object without a label is taken over: observed fields are set, and no others (${how})`, async (t) => {
      const it = await applying(t, 'adopt');
      const plan = await it.plan(web, { observed: observedOfWeb });
      const theirs = structuredClone(web);
      Object.assign(theirs.spec, { replicas: 9, paused: true });
      const [main] = theirs.spec.template.spec.containers;
      assert(main);
      Object.assign(main, {
        image: 'registry.invalid/web:old',
        args: ['--slow'],
        env: [{ name: 'B', value: 'theirs' }],
      });
      await it.ns.cluster.api('POST', `${plan.target.collection}?fieldManager=kubectl-create`, theirs);
      const applied = good(await it.api.create(plan, it.signal, isAbsent));
      assert.deepEqual([applied.isNew, applied.hasChanged], [false, true]);
      const live = await it.live(plan);
      assert.equal(at(container(live), 'image'), 'registry.invalid/web:1');
      assert.deepEqual([at(live, 'spec', 'replicas'), at(live, 'spec', 'paused')], [9, true]);
      assert.deepEqual(at(container(live), 'args'), ['--slow']);
      const env = arrayOf(at(container(live), 'env')).map((each) => `${at(each, 'name')}=${at(each, 'value')}`);
      assert.deepEqual(env.toSorted(), ['A=1', 'B=theirs']);
      assert.equal(at(live, 'metadata', 'labels', labelName), it.owner.label);
    });

    test(`with everything observed, an existing object gets every field of the manifest, and retains others (${how})`, async (t) => {
      const it = await applying(t, 'adopt-all');
      const plan = await it.plan(settings({ a: '1' }));
      await it.ns.cluster.api(
        'POST',
        `${plan.target.collection}?fieldManager=kubectl-create`,
        settings({ a: 'old', b: '2' }),
      );
      good(await it.api.create(plan, it.signal, isAbsent));
      const live = await it.live(plan);
      assert.deepEqual(at(live, 'data'), { a: '1', b: '2' });
      assert.deepEqual(Object.keys(managersOf(live)).toSorted(), ['kubectl-create', it.owner.own].toSorted());
    });

    test(`an object that matches the manifest, with more fields, is not created again (${how})`, async (t) => {
      const it = await applying(t, 'adopt-same');
      const plan = await it.plan(settings({ a: '1' }));
      const theirs = settings({ a: '1', b: 'theirs' });
      await it.ns.cluster.api('POST', `${plan.target.collection}?fieldManager=kubectl-create`, theirs);
      const applied = good(await it.api.create(plan, it.signal, isAbsent));
      assert.equal(applied.isNew, false, 'the desired state needs a dry run');
      const live = await it.live(plan);
      assert.deepEqual(at(live, 'data'), { a: '1', b: 'theirs' });
      assert(managersOf(live)['kubectl-create']?.includes('f:a'), 'the client that wrote it still owns it');
    });

    test(`a permanent refusal has the same message, and nothing is created (${how})`, async (t) => {
      const it = await applying(t, 'create-refused');
      const plan = await it.plan(settings({ 'no key': '1' }));
      const failure = bad(await it.api.create(plan, it.signal, isAbsent));
      assert.equal(failure.type, 'permanent');
      assert.match(failure.reason, /no key/);
      assert.equal((await it.ns.cluster.send('GET', plan.target.path)).status, 404);
    });

    test(`a foreign port with the key of one of the manifest is not an obstacle (${how})`, async (t) => {
      const it = await applying(t, 'adopt-port');
      const service = (ports: readonly object[]) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { clusterIP: 'None', ports },
      });
      const plan = await it.plan(service([{ name: 'http', port: 80 }]));
      const theirs = service([{ name: 'http', port: 8080 }]);
      await it.ns.cluster.api('POST', `${plan.target.collection}?fieldManager=kubectl-create`, theirs);
      good(await it.api.create(plan, it.signal, isAbsent));
      const ports = arrayOf(at(await it.live(plan), 'spec', 'ports')).map((each) => at(each, 'port'));
      assert.deepEqual(ports, [80]);
    });
  }

  test('the second application that claims a resource is refused with both names, and writes nothing of it', async (t) => {
    const it = await applying(t, 'claim');
    for (const [data, observed] of [
      [{ a: '1' }, undefined],
      [{ a: '1', b: '2' }, { data: { a: 'observed' } }],
    ] as const) {
      const { plan } = await tookPlace(it, settings(data), observed);
      const before = await it.live(plan);
      const other = ownerOf({ namespace: it.ns.name, name: 'other' });
      const theirs = await it.plan(settings({ a: '3' }), { owner: other });
      for (const outcome of [
        await it.api.create(theirs, it.signal),
        await it.api.update(theirs, before, it.signal),
        await it.api.correct(theirs, before, [], it.signal),
        await it.api.delete(theirs.target, other, undefined, it.signal),
      ]) {
        const failure = bad(outcome);
        assert.deepEqual([failure.type, failure.by], ['claimed', `${it.ns.name}/shop`]);
        assert(failure.reason.includes(`${it.ns.name}/shop`) && failure.reason.includes(`${it.ns.name}/other`));
      }
      assert.deepEqual(await it.live(plan), before);
    }
  });

  test('of two applications that claim a new resource at once, one succeeds and the other gets its name', async (t) => {
    const it = await applying(t, 'claim-race');
    for (const observed of [undefined, { data: { a: 'observed' } }]) {
      for (const name of ['one', 'two', 'three']) {
        const object = { ...settings({ a: '1', b: '2' }), metadata: { name: `${name}-${observed === undefined}` } };
        const plans = await Promise.all(
          ['left', 'right'].map((application) => {
            const owner = ownerOf({ namespace: it.ns.name, name: application });
            return it.plan(object, { owner, ...(observed === undefined ? {} : { observed }) });
          }),
        );
        const outcomes = await Promise.all(plans.map((plan) => it.api.create(plan, it.signal)));
        assert.deepEqual(outcomes.map(({ ok }) => ok).toSorted(), [false, true], JSON.stringify(outcomes));
        const [winner, loser] = outcomes[0]?.ok ? ['left', 'right'] : ['right', 'left'];
        const failure = bad(outcomes.find(({ ok }) => !ok) ?? assert.fail());
        assert.deepEqual([failure.type, failure.by], ['claimed', `${it.ns.name}/${winner}`], loser);
        const [plan] = plans;
        assert(plan);
        const label = at(await it.live(plan), 'metadata', 'labels', labelName);
        assert.equal(label, ownerOf({ namespace: it.ns.name, name: winner }).label);
      }
    }
  });
});
