import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { resourceRequests } from '../../../../src/observer/apply/resourceRequests.ts';
import { annotationName, labelName } from '../../../../src/observer/objects/fieldManagers.ts';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad, driftsOf, good, type PlanOptions } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});

interface Web {
  readonly image?: string;
  readonly replicas?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly more?: readonly object[];
}

function web({ image = 'registry.invalid/web:1', replicas = 2, args = ['--fast'], env = {}, more = [] }: Web = {}) {
  const variables = Object.entries({ A: '1', ...env }).map(([name, value]) => ({ name, value }));
  const containers = [{ name: 'a', image, ...(args.length === 0 ? {} : { args }), env: variables }, ...more];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    },
  };
}

const entry = (fields: object, list: object = bounds(0, 0)) => ({
  spec: { template: { spec: { containers: [{ name: 'observed', ...fields }, list] } } },
});
const onlyImage = entry({ image: 'observed' });

const main = (object: unknown) => at(object, 'spec', 'template', 'spec', 'containers', 0);
const envOf = (object: unknown) =>
  Object.fromEntries(arrayOf(at(main(object), 'env')).map((each) => [at(each, 'name'), at(each, 'value')]));

function ownersOf(object: JsonObject, manager: string): string {
  const entries = arrayOf(at(object, 'metadata', 'managedFields')).map(objectOf);
  return JSON.stringify(entries.filter((each) => each['manager'] === manager).map(({ fieldsV1 }) => fieldsV1));
}

async function made(it: Applying, object: JsonObject, options: PlanOptions = {}): Promise<ResourcePlan> {
  const plan = await it.plan(object, options);
  good(await it.api.create(plan, it.signal));
  return plan;
}

/** Applies another manifest (or schema) to the live object. */
async function updated(it: Applying, object: JsonObject, options: PlanOptions) {
  const plan = await it.plan(object, options);
  const outcome = await it.api.update(plan, await it.live(plan), it.signal);
  return { plan, outcome, live: await it.live(plan) };
}

suite('an update', { concurrency: true }, () => {
  test('sets the new values of the manifest, and leaves other clients’ values that it did not change alone', async (t) => {
    const it = await applying(t, 'update');
    const before = await made(it, web(), { observed: onlyImage });
    await it.edit(before, { spec: { replicas: 9 } });
    const env = [
      { name: 'A', value: 'theirs' },
      { name: 'C', value: '3' },
    ];
    const containers = [{ name: 'a', env, args: ['--slow'] }];
    await it.edit(before, { spec: { template: { spec: { containers } } } }, { type: 'strategic-merge' });
    const image = 'registry.invalid/web:2';
    const object = web({ image, args: ['--faster'], env: { B: '2' } });
    const { outcome, live } = await updated(it, object, { observed: onlyImage, before });
    assert(good(outcome).hasChanged);
    assert.equal(at(main(live), 'image'), image);
    assert.equal(at(live, 'spec', 'replicas'), 9);
    assert.deepEqual(envOf(live), { A: 'theirs', B: '2', C: '3' });
    assert.deepEqual(at(main(live), 'args'), ['--faster'], 'the manifest says something new of it');
    const next = await updated(it, web({ image, args: [], replicas: 3, env: { B: '2' } }), {
      observed: onlyImage,
      before: await it.plan(object, { observed: onlyImage }),
    });
    good(next.outcome);
    assert.equal(at(next.live, 'spec', 'replicas'), 3, 'the manifest says something new of it');
    assert.equal(at(main(next.live), 'args'), undefined, 'it left the manifest');
  });

  test('does not restore an unobserved field that another client removed, unless it is new', async (t) => {
    const it = await applying(t, 'update-removed');
    const before = await made(it, web({ env: { B: '2' } }), { observed: onlyImage });
    const patch = [{ op: 'remove', path: '/spec/template/spec/containers/0/env/1' }];
    await it.edit(before, patch, { type: 'json' });
    const { outcome, live } = await updated(it, web({ image: 'registry.invalid/web:2', env: { B: '2', C: '3' } }), {
      observed: onlyImage,
      before,
    });
    good(outcome);
    assert.deepEqual(envOf(live), { A: '1', C: '3' });
  });

  test('restores it anyway if nothing valid would be left', async (t) => {
    const it = await applying(t, 'update-last');
    const onlyReplicas = { spec: { replicas: 'observed' } };
    const more = [{ name: 'b', image: 'registry.invalid/b:1' }];
    const before = await made(it, web({ more }), { observed: onlyReplicas });
    await it.edit(before, [{ op: 'remove', path: '/spec/template/spec/containers/0' }], { type: 'json' });
    const { outcome, live } = await updated(it, web(), { observed: onlyReplicas, before });
    good(outcome);
    const containers = arrayOf(at(live, 'spec', 'template', 'spec', 'containers'));
    assert.deepEqual(
      containers.map((each) => at(each, 'name')),
      ['a'],
    );
  });

  test('by a process that does not know the previous manifest overwrites no unobserved values of other clients', async (t) => {
    const it = await applying(t, 'update-restarted');
    const before = await made(it, web(), { observed: onlyImage });
    await it.edit(before, { spec: { replicas: 9 } });
    const { outcome, live } = await updated(it, web({ image: 'registry.invalid/web:2', replicas: 3 }), {
      observed: onlyImage,
    });
    good(outcome);
    assert.deepEqual([at(main(live), 'image'), at(live, 'spec', 'replicas')], ['registry.invalid/web:2', 9]);
  });

  test('by a process that does not know the previous manifest removes nothing that is not observed any more', async (t) => {
    const it = await applying(t, 'update-forgotten');
    await made(it, web(), { observed: entry({ image: 'observed', args: 'observed' }) });
    const next = web({ image: 'registry.invalid/web:2', args: ['--slow'], env: { B: '2' } });
    const { outcome, live } = await updated(it, next, { observed: { spec: { replicas: 'observed' } } });
    good(outcome);
    assert.deepEqual([at(main(live), 'image'), at(main(live), 'args')], ['registry.invalid/web:2', ['--slow']]);
  });

  test('of a resource with a renamed port restores the port, also if it was never applied as a whole', async (t) => {
    const it = await applying(t, 'update-renamed');
    const service = (name: string, targetPort: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort }] },
    });
    for (const [name, observed] of [
      ['all', undefined],
      ['part', { spec: { ports: [{ port: 'observed' }, bounds(1, 1)] } }],
      ['roomy', { spec: { ports: [{ port: 'observed', targetPort: 'observed' }, bounds(1, 0)] } }],
    ] as const)
      for (const isKnown of [true, false]) {
        const options = observed === undefined ? {} : { observed };
        const before = await made(it, service(name, 8080), options);
        await it.edit(before, [{ op: 'replace', path: '/spec/ports/0/port', value: 82 }], { type: 'json' });
        const { outcome, live } = await updated(it, service(name, 9090), {
          ...options,
          ...(isKnown ? { before } : {}),
        });
        good(outcome);
        const ports = arrayOf(at(live, 'spec', 'ports')).map((each) => [at(each, 'port'), at(each, 'targetPort')]);
        assert.deepEqual(ports, [[80, 9090]], `${name} ${isKnown}`);
        await it.ns.cluster.api('DELETE', before.target.path);
      }
  });

  test('changes a field from observed to unobserved and back without deleting it', async (t) => {
    const it = await applying(t, 'update-sides');
    const onlyArgs = entry({ args: 'observed', env: [{ name: 'observed', value: 'observed' }, bounds(0, 0)] });
    const schemas = [onlyImage, onlyArgs, undefined, entry({ env: 'observed' }), onlyImage];
    let before = await made(it, web(), { observed: onlyImage });
    for (const [i, observed] of schemas.entries()) {
      const image = `registry.invalid/web:${i}`;
      const options = observed === undefined ? { before } : { before, observed };
      const { plan, outcome, live } = await updated(it, web({ image, args: [`--${i}`] }), options);
      good(outcome);
      assert.equal(at(main(live), 'image'), image);
      assert.deepEqual(at(main(live), 'args'), [`--${i}`]);
      assert.deepEqual(envOf(live), { A: '1' });
      const [own, init] = [it.owner.own, it.owner.init].map((manager) => ownersOf(live, manager));
      assert.equal(own?.includes('f:image'), observed === onlyImage || observed === undefined, `${i}: ${own}`);
      assert.equal(init?.includes('f:image'), observed !== onlyImage && observed !== undefined, `${i}: ${init}`);
      before = plan;
    }
  });

  test('refused after its observed fields were applied is followed by no deletion of them: by a correction, or by the next update', async (t) => {
    const it = await applying(t, 'update-halfway');
    const service = (selector: string, targetPort: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: {
        selector: { app: selector },
        ports: [80, 90].map((port) => ({ name: `p${port}`, port, targetPort })),
      },
    });
    const ports = [{ targetPort: 'observed' }, bounds(0, 0)];
    const stateOf = (live: JsonObject) => [at(live, 'spec', 'selector'), at(live, 'spec', 'ports', 0, 'targetPort')];
    const before = await it.plan(service('a', 8080), { observed: { spec: { ports } } });
    const { object } = good(await it.api.create(before, it.signal));
    await it.edit(before, { spec: { selector: { app: 'theirs' } } });
    // In between another client gives port 90 another number, so that the name of the port exists twice.
    const renaming = resourceRequests({
      ...it.client,
      async call(request) {
        const answer = await it.client.call(request);
        if (request.query?.['fieldManager'] === it.owner.own && request.method === 'PATCH')
          await it.edit(before, [{ op: 'replace', path: '/spec/ports/1/port', value: 300 }], { type: 'json' });
        return answer;
      },
    });
    const refused = await it.plan(service('b', 8081), { observed: { spec: { ports, selector: 'observed' } }, before });
    assert.equal(bad(await renaming.update(refused, await it.live(before), it.signal)).type, 'permanent');
    assert.deepEqual(stateOf(await it.live(before)), [{ app: 'b' }, 8081]);
    const drifts = driftsOf(before, object, await it.live(before));
    good(await it.api.correct(before, await it.live(before), drifts, it.signal));
    assert.deepEqual(stateOf(await it.live(before)), [{ app: 'b' }, 8080]);
    await it.edit(before, [{ op: 'replace', path: '/spec/ports/1/port', value: 90 }], { type: 'json' });
    const next = await updated(it, service('a', 8082), { observed: { spec: { ports } }, before });
    good(next.outcome);
    assert.deepEqual(stateOf(next.live), [{ app: 'a' }, 8082]);
  });

  test('of a drifted resource ends with the new manifest, with a container more, and one less', async (t) => {
    const it = await applying(t, 'update-drifted');
    const before = await made(it, web(), { observed: onlyImage });
    await it.edit(before, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'x' }], {
      type: 'json',
    });
    const more = [{ name: 'b', image: 'registry.invalid/b:1', args: ['b'] }];
    const two = {
      spec: { template: { spec: { containers: [{ image: 'observed' }, { image: 'observed' }, bounds(2, 2)] } } },
    };
    const next = await updated(it, web({ image: 'registry.invalid/web:2', more }), { observed: two, before });
    const reply = good(next.outcome).object;
    const containers = arrayOf(at(next.live, 'spec', 'template', 'spec', 'containers'));
    assert.deepEqual(
      containers.map((each) => [at(each, 'name'), at(each, 'image'), at(each, 'args')]),
      [
        ['a', 'registry.invalid/web:2', ['--fast']],
        ['b', 'registry.invalid/b:1', ['b']],
      ],
    );
    assert.deepEqual(driftsOf(next.plan, reply, next.live), []);
    const last = await updated(it, web(), { observed: onlyImage, before: next.plan });
    good(last.outcome);
    assert.equal(arrayOf(at(last.live, 'spec', 'template', 'spec', 'containers')).length, 1);
  });

  test('to another apiVersion is an update of the same object, and what left the manifest is removed', async (t) => {
    const it = await applying(t, 'update-version');
    const scale = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5 };
    const hpa = (apiVersion: string, spec: object) => ({
      apiVersion,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: { ...scale, ...spec },
    });
    for (const observed of [undefined, { spec: { maxReplicas: 'observed' } }]) {
      const options = observed === undefined ? {} : { observed };
      const one = hpa('autoscaling/v1', { minReplicas: 2, targetCPUUtilizationPercentage: 50 });
      const before = await made(it, one, options);
      const { uid } = objectOf((await it.live(before))['metadata']);
      const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } };
      const two = hpa('autoscaling/v2', { metrics: [{ type: 'Resource', resource }] });
      const { outcome, live } = await updated(it, two, { ...options, before });
      good(outcome);
      assert.equal(at(live, 'metadata', 'uid'), uid);
      assert.equal(at(live, 'spec', 'metrics', 0, 'resource', 'target', 'averageUtilization'), 60);
      assert.equal(at(live, 'spec', 'minReplicas'), 1, 'the default');
      await it.ns.cluster.api('DELETE', before.target.path);
    }
  });
});

suite('a change of an immutable field', { concurrency: true }, () => {
  const selector = (app: string) => {
    const object = web();
    const labels = { app };
    Object.assign(object.spec, { selector: { matchLabels: labels } });
    Object.assign(object.spec.template.metadata, { labels });
    return object;
  };

  test('is refused as that, and the resource is recreated only if the application allows it', async (t) => {
    const it = await applying(t, 'recreate');
    for (const observed of [undefined, onlyImage]) {
      const options = observed === undefined ? {} : { observed };
      const before = await made(it, selector('web'), options);
      const { uid } = objectOf((await it.live(before))['metadata']);
      const refused = await updated(it, selector('other'), { ...options, before });
      const failure = bad(refused.outcome);
      assert.deepEqual([failure.type, failure.fields], ['immutable', ['spec.selector']]);
      assert.match(
        failure.reason,
        /^The API server refused Deployment .*\/web \(422\): spec.selector: field is immutable\.$/,
      );
      assert.equal(at(refused.live, 'metadata', 'uid'), uid);
      const recreated = await updated(it, selector('other'), { ...options, before, mayRecreate: true });
      assert(good(recreated.outcome).isNew);
      assert.notEqual(at(recreated.live, 'metadata', 'uid'), uid);
      assert.deepEqual(at(recreated.live, 'spec', 'selector', 'matchLabels'), { app: 'other' });
      await it.ns.cluster.api('DELETE', before.target.path);
    }
  });

  test('of a PersistentVolumeClaim is never a reason to delete it', async (t) => {
    const it = await applying(t, 'recreate-never');
    const claim = (storageClassName: string) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
    });
    const before = await made(it, claim('one'));
    const { uid } = objectOf((await it.live(before))['metadata']);
    const { outcome, live } = await updated(it, claim('two'), { before, mayRecreate: true });
    assert.equal(bad(outcome).type, 'immutable');
    assert.deepEqual([at(live, 'metadata', 'uid'), at(live, 'metadata', 'deletionTimestamp')], [uid, undefined]);
  });

  test('waits for the end of the old object, which its finalizers delay, and creates the new one then', async (t) => {
    const it = await applying(t, 'recreate-slow');
    const before = await made(it, selector('web'));
    const edited = await it.edit(before, { metadata: { finalizers: ['example.org/stay'] } });
    const unapplied = await it.plan(selector('other'), { before, mayRecreate: true });
    assert.match(
      bad(await it.api.update(unapplied, edited, it.signal)).reason,
      /not recreated/,
      'others have written it',
    );
    const plan = { ...unapplied, appliedUid: String(at(edited, 'metadata', 'uid')) };
    assert.equal(bad(await it.api.update(plan, await it.live(plan), it.signal)).type, 'terminating');
    assert.equal(bad(await it.api.create(plan, it.signal)).type, 'terminating');
    await it.edit(before, { metadata: { finalizers: null } });
    assert(good(await it.api.create(plan, it.signal)).isNew);
  });
});

suite('a resource that an application abandons', { concurrency: true }, () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1', b: '2' } };

  test('is deleted only as the object that was applied, and never if another application owns it', async (t) => {
    const it = await applying(t, 'delete');
    const plan = await made(it, settings);
    const { uid } = objectOf((await it.live(plan))['metadata']);
    await it.edit(plan, { metadata: { labels: { mine: 'yes' } } });
    const remove = (of: string | undefined) => it.api.delete(plan.target, it.owner, of, it.signal);
    assert.equal(bad(await remove('00000000-0000-4000-8000-000000000000')).type, 'otherUid');
    assert.equal(at(await it.live(plan), 'metadata', 'uid'), uid);
    good(await remove(String(uid)));
    assert.equal(bad(await remove(String(uid))).type, 'missing');
    await it.ns.cluster.api('POST', plan.target.collection, settings);
    assert.equal(bad(await remove(String(uid))).type, 'otherUid', 'another one of its name');
    assert.equal(bad(await remove(undefined)).type, 'otherUid', 'not ours, by its label');
    await it.edit(plan, { metadata: { labels: { [labelName]: 'another' } } });
    assert.equal(bad(await remove(undefined)).type, 'claimed');
    assert.deepEqual(at(await it.live(plan), 'data'), settings.data);
    await it.edit(plan, { metadata: { labels: { [labelName]: it.owner.label } } });
    assert.equal(bad(await remove(undefined)).type, 'otherUid', 'a label of another client does not prove an apply');
    const { uid: theirs } = objectOf((await it.live(plan))['metadata']);
    good(await it.api.update(plan, await it.live(plan), it.signal));
    good(await remove(String(theirs)));
    await eventually(async () => good(await it.api.read(plan.target, it.signal)) === undefined, { what: 'its end' });
  });

  test('is released with all its fields: only label, annotation and managers are removed', async (t) => {
    const it = await applying(t, 'release');
    for (const observed of [undefined, { data: { a: 'observed' } }]) {
      const plan = await made(it, settings, observed === undefined ? {} : { observed });
      await it.edit(plan, { metadata: { labels: { mine: 'yes' } } });
      const { uid } = objectOf((await it.live(plan))['metadata']);
      good(await it.api.release(plan.target, it.owner, String(uid), it.signal));
      const live = await it.live(plan);
      assert.deepEqual(at(live, 'data'), settings.data);
      assert.deepEqual(at(live, 'metadata', 'labels'), { mine: 'yes' });
      assert.equal(at(live, 'metadata', 'annotations', annotationName), undefined);
      assert(!JSON.stringify(at(live, 'metadata', 'managedFields')).includes('weeder'), JSON.stringify(live));
      assert.match(ownersOf(live, 'kubectl-edit'), /f:mine/);
      await it.ns.cluster.api('DELETE', plan.target.path);
    }
    const plan = await made(it, settings);
    good(await it.api.release(plan.target, it.owner, undefined, it.signal));
    assert(!JSON.stringify(at(await it.live(plan), 'metadata', 'managedFields') ?? []).includes('weeder'));
    assert.deepEqual(at(await it.live(plan), 'data'), settings.data);
  });
});
