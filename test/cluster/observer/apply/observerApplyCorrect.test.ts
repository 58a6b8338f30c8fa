import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { resourceRequests } from '../../../../src/observer/apply/resourceRequests.ts';
import { labelName, ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import type { Drift } from '../../../../src/observer/objects/projection.ts';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { type Applying, applying, bad, driftsOf, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});

const container = {
  name: 'a',
  image: 'registry.invalid/web:1',
  args: ['--fast'],
  env: [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ],
};
const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
  },
};
/** Image and the first env variable; any number of other variables. */
const imageAndEnv = {
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'observed',
            image: 'observed',
            env: [{ name: 'observed', value: 'observed' }, bounds(1, 0)],
          },
          bounds(1, 1),
        ],
      },
    },
  },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
};

const specOf = (object: unknown) => at(object, 'spec', 'template', 'spec');
const namesOf = (list: unknown) => arrayOf(list).map((each) => at(each, 'name'));

/** Creates the resource, lets another client edit it, and corrects what differs. */
async function corrected(
  it: Applying,
  object: JsonObject,
  observed: JsonObject | undefined,
  edit: (plan: ResourcePlan) => Promise<unknown>,
) {
  const plan = await it.plan(object, observed === undefined ? {} : { observed });
  const reply = good(await it.api.create(plan, it.signal)).object;
  await edit(plan);
  const seen = await it.live(plan);
  const drifts = driftsOf(plan, reply, seen);
  const outcome = await it.api.correct(plan, seen, drifts, it.signal);
  const live = await it.live(plan);
  return { plan, reply, seen, drifts, outcome, live, left: driftsOf(plan, reply, live) };
}

suite('a correction', { concurrency: true }, () => {
  test('sets observed fields, and never removes or resets others: replicas, args, variables, labels of others', async (t) => {
    const it = await applying(t, 'correct');
    const { outcome, left, live, drifts } = await corrected(it, web, imageAndEnv, async (plan) => {
      await it.edit(plan, { spec: { replicas: 9 }, metadata: { labels: { mine: 'yes' } } });
      const env = [
        { name: 'B', value: 'theirs' },
        { name: 'C', value: '3' },
        { $patch: 'delete', name: 'A' },
      ];
      const containers = [{ name: 'a', image: 'registry.invalid/evil:1', args: ['--slow'], env }];
      await it.edit(plan, { spec: { template: { spec: { containers } } } }, { type: 'strategic-merge' });
    });
    assert(drifts.length >= 2, JSON.stringify(drifts));
    assert(good(outcome).hasChanged);
    assert.deepEqual(left, []);
    const main = at(specOf(live), 'containers', 0);
    assert.equal(at(main, 'image'), 'registry.invalid/web:1');
    assert.deepEqual(at(main, 'args'), ['--slow']);
    const env = arrayOf(at(main, 'env')).map((each) => `${at(each, 'name')}=${at(each, 'value')}`);
    assert.deepEqual(env.toSorted(), ['A=1', 'B=theirs', 'C=3']);
    assert.equal(at(live, 'spec', 'replicas'), 9);
    assert.equal(at(live, 'metadata', 'labels', 'mine'), 'yes');
  });

  test('preserves a human’s scale, whether it was made through the field or through the subresource', async (t) => {
    const it = await applying(t, 'correct-scale');
    const { left, live } = await corrected(it, web, imageAndEnv, async (plan) => {
      await it.edit(plan, { spec: { replicas: 7 } }, { subresource: 'scale', manager: 'kubectl' });
      const patch = [
        { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'registry.invalid/evil:1' },
      ];
      await it.edit(plan, patch, { type: 'json' });
    });
    assert.deepEqual(left, []);
    assert.equal(at(live, 'spec', 'replicas'), 7);
  });

  test('removes a foreign container, variable, volume and port in one write of the content, and preserves unobserved fields', async (t) => {
    const it = await applying(t, 'correct-excess');
    const full = structuredClone(web);
    Object.assign(full.spec.template.spec, {
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [{ ...container, ports: [{ containerPort: 80 }] }],
    });
    const { outcome, left, live, seen, drifts } = await corrected(it, full, undefined, async (plan) => {
      const spec = {
        volumes: [{ name: 'evil', emptyDir: {} }],
        containers: [
          { name: 'evil', image: 'registry.invalid/evil:1' },
          { name: 'a', env: [{ name: 'EVIL', value: '1' }], ports: [{ containerPort: 9 }], imagePullPolicy: 'Never' },
        ],
      };
      await it.edit(plan, { metadata: { labels: { mine: 'yes' } } });
      await it.edit(plan, { spec: { template: { spec } } }, { type: 'strategic-merge' });
    });
    assert.equal(drifts.filter(({ type }) => type === 'excess').length, 4, JSON.stringify(drifts));
    assert(good(outcome).hasChanged);
    assert.deepEqual(left, []);
    assert.deepEqual(namesOf(at(specOf(live), 'containers')), ['a']);
    assert.deepEqual(namesOf(at(specOf(live), 'containers', 0, 'env')), ['A', 'B']);
    assert.deepEqual(at(specOf(live), 'volumes'), [{ name: 'data', emptyDir: {} }]);
    assert.deepEqual(at(specOf(live), 'containers', 0, 'ports'), [{ containerPort: 80, protocol: 'TCP' }]);
    assert.equal(at(specOf(live), 'containers', 0, 'imagePullPolicy'), 'Never');
    assert.equal(at(live, 'metadata', 'labels', 'mine'), 'yes');
    assert.equal(at(live, 'metadata', 'generation'), Number(at(seen, 'metadata', 'generation')) + 1);
    const managers = arrayOf(at(live, 'metadata', 'managedFields'));
    assert(!/evil/i.test(JSON.stringify(managers)), JSON.stringify(managers));
  });

  test('preserves as many elements as the schema has room for, and removes only the others', async (t) => {
    const it = await applying(t, 'correct-room');
    const few = { spec: { ports: [{ port: 'observed' }, bounds(1, 2)] } };
    const ports = ['http', 'two', 'three'].map((name, i) => ({ name, port: 80 + i }));
    const { left, live } = await corrected(it, service, few, (plan) => it.edit(plan, { spec: { ports } }));
    assert.deepEqual(left, []);
    assert.deepEqual(namesOf(at(live, 'spec', 'ports')), ['http', 'two']);
    const other = await corrected(
      it,
      { ...service, metadata: { name: 'other' } },
      { spec: { ports: [{ port: 'observed', targetPort: 'observed' }, bounds(1, 0)] } },
      (plan) => it.edit(plan, { spec: { ports: [{ ...ports[0], targetPort: 1 }, ...ports.slice(1)] } }),
    );
    assert.deepEqual(other.left, []);
    assert.deepEqual(namesOf(at(other.live, 'spec', 'ports')).toSorted(), ['http', 'three', 'two']);
    assert.equal(at(other.live, 'spec', 'ports', 0, 'targetPort'), 8080);
  });

  test('never takes a resource without its label from an application that has claimed it meanwhile', async (t) => {
    const it = await applying(t, 'correct-claimed');
    const plan = await it.plan(service);
    const reply = good(await it.api.create(plan, it.signal)).object;
    const another = ownerOf({ namespace: it.ns.name, name: 'another' });
    const claimed = await it.plan(service, { owner: another });
    const slow = resourceRequests({
      ...it.client,
      async call(request) {
        if (request.method === 'PATCH' && labelNow === undefined) {
          labelNow = another.label;
          good(await it.api.create(claimed, it.signal));
        }
        return it.client.call(request);
      },
    });
    let labelNow: string | undefined;
    const path = `.metadata.labels.${labelName}`;
    const label: Drift = { path, desired: it.owner.label, found: undefined, type: 'missing' };
    const [http] = service.spec.ports;
    // An added port takes a request of its own before the apply.
    for (const ports of [[http], [http, { name: 'added', port: 81 }]]) {
      await it.edit(plan, { metadata: { labels: { [labelName]: null } }, spec: { ports } });
      const seen = await it.live(plan);
      const drifts = [label, ...driftsOf(plan, reply, seen).filter(({ type }) => type === 'excess')];
      assert.equal(drifts.length, ports.length);
      labelNow = undefined;
      assert.equal(bad(await slow.correct(plan, seen, drifts, it.signal)).type, 'claimed');
      assert.equal(at(await it.live(plan), 'metadata', 'labels', labelName), another.label);
      await it.edit(plan, { metadata: { labels: { [labelName]: null } } });
      good(await it.api.correct(plan, await it.live(plan), drifts, it.signal));
      assert.deepEqual(driftsOf(plan, reply, await it.live(plan)), []);
    }
  });

  test('restores a renamed port, which a plain apply cannot, and the manifest can be updated afterwards', async (t) => {
    const it = await applying(t, 'correct-rename');
    for (const [name, observed] of [
      ['all', undefined],
      ['part', { spec: { ports: [{ port: 'observed' }, bounds(1, 1)] } }],
      ['roomy', { spec: { ports: [{ port: 'observed' }, bounds(1, 0)] } }],
    ] as const) {
      const object = { ...service, metadata: { name } };
      const { plan, outcome, left, live } = await corrected(it, object, observed, (plan) =>
        it.edit(plan, [{ op: 'replace', path: '/spec/ports/0/port', value: 82 }], { type: 'json' }),
      );
      good(outcome);
      assert.deepEqual(left, [], name);
      assert.deepEqual(
        arrayOf(at(live, 'spec', 'ports')).map((each) => [at(each, 'port'), at(each, 'targetPort')]),
        [[80, 8080]],
        name,
      );
      const next = { ...object, spec: { ...object.spec, ports: [{ name: 'http', port: 81, targetPort: 8080 }] } };
      const update = await it.plan(next, { ...(observed === undefined ? {} : { observed }), before: plan });
      good(await it.api.update(update, live, it.signal));
      const updated = arrayOf(at(await it.live(plan), 'spec', 'ports'));
      assert.deepEqual(
        updated.map((each) => [at(each, 'port'), at(each, 'targetPort')]),
        [[81, 8080]],
        name,
      );
    }
  });

  test('restores observed fields that the server had defaulted and the manifest lacks', async (t) => {
    const it = await applying(t, 'correct-filled');
    const observed = {
      spec: { type: 'observed', sessionAffinity: 'observed', ports: [{ targetPort: 'observed' }, bounds(1, 0)] },
    };
    const plain = { ...service, spec: { ...service.spec, ports: [{ name: 'http', port: 80 }] } };
    const { outcome, drifts, left, live } = await corrected(it, plain, observed, async (plan) => {
      await it.edit(plan, { spec: { type: 'NodePort', sessionAffinity: 'ClientIP' } });
      await it.edit(plan, [{ op: 'replace', path: '/spec/ports/0/targetPort', value: 9999 }], { type: 'json' });
    });
    assert.equal(drifts.length, 3, JSON.stringify(drifts));
    assert(good(outcome).hasChanged);
    assert.deepEqual(left, []);
    const { type, sessionAffinity } = objectOf(at(live, 'spec'));
    assert.deepEqual([type, sessionAffinity, at(live, 'spec', 'ports', 0, 'targetPort')], ['ClusterIP', 'None', 80]);
  });

  test('leaves an Ingress’s paths alone if only its host is observed, and a Role’s other rules and verbs', async (t) => {
    const it = await applying(t, 'correct-atomic');
    const backend = { service: { name: 'web', port: { number: 80 } } };
    const path = (of: string) => ({ path: of, pathType: 'Prefix', backend });
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web' },
      spec: { rules: [{ host: 'a.example.org', http: { paths: [path('/')] } }] },
    };
    const host = { spec: { rules: [{ host: 'observed' }, bounds(1, 0)] } };
    const first = await corrected(it, ingress, host, (plan) => {
      const rules = [
        { host: 'evil.example.org', http: { paths: [path('/'), path('/mine')] } },
        { host: 'b.example.org', http: { paths: [path('/b')] } },
      ];
      return it.edit(plan, { spec: { rules } });
    });
    good(first.outcome);
    assert.deepEqual(first.left, []);
    assert.deepEqual(
      arrayOf(at(first.live, 'spec', 'rules')).map((rule) => [
        at(rule, 'host'),
        arrayOf(at(rule, 'http', 'paths')).map((each) => at(each, 'path')),
      ]),
      [
        ['a.example.org', ['/', '/mine']],
        ['b.example.org', ['/b']],
      ],
    );
    const rule = (resource: string, ...verbs: string[]) => ({ apiGroups: [''], resources: [resource], verbs });
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'web' },
      rules: [rule('pods', 'get'), rule('secrets', 'get')],
    };
    const onlyPods = { rules: [{ resources: ['observed', bounds(1, 1)] }, bounds(1, 0)] };
    const second = await corrected(it, role, onlyPods, (plan) =>
      it.edit(plan, { rules: [rule('nodes', 'get', 'list'), rule('secrets', 'get', 'watch')] }),
    );
    good(second.outcome);
    assert.deepEqual(second.left, []);
    assert.deepEqual(at(second.live, 'rules'), [rule('pods', 'get', 'list'), rule('secrets', 'get', 'watch')]);
  });

  test('removes a foreign key from a rule of a wholly observed Role', async (t) => {
    const it = await applying(t, 'correct-role');
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['web'] }];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'web' }, rules };
    const [rule] = rules;
    const { left, live, drifts } = await corrected(it, role, undefined, (plan) =>
      it.edit(plan, {
        rules: [
          { ...rule, resourceNames: ['web', 'admin'] },
          { ...rule, resources: ['secrets'] },
        ],
      }),
    );
    assert(drifts.length > 0);
    assert.deepEqual(left, []);
    assert.deepEqual(at(live, 'rules'), rules);
  });

  test('removes fields that the schema requires to be absent', async (t) => {
    const it = await applying(t, 'correct-absent');
    const observed = {
      spec: {
        template: {
          spec: {
            hostPID: 'observed',
            containers: [{ name: 'observed', securityContext: { readOnlyRootFilesystem: 'observed' } }, bounds(1, 1)],
          },
        },
      },
    };
    const { left, live, drifts } = await corrected(it, web, observed, (plan) => {
      const securityContext = { readOnlyRootFilesystem: true, runAsUser: 5 };
      const spec = { hostPID: true, containers: [{ name: 'a', securityContext }] };
      return it.edit(plan, { spec: { template: { spec } } }, { type: 'strategic-merge' });
    });
    assert.deepEqual(drifts.map(({ type }) => type).toSorted(), ['excess', 'excess'], JSON.stringify(drifts));
    assert.deepEqual(left, []);
    assert.equal(at(specOf(live), 'hostPID'), undefined);
    assert.deepEqual(at(specOf(live), 'containers', 0, 'securityContext'), { runAsUser: 5 });
  });

  test('restores the ownership label, and reverts changes of duplicates and of a cleared managedFields', async (t) => {
    const it = await applying(t, 'correct-label');
    const { left, live } = await corrected(it, web, undefined, async (plan) => {
      await it.edit(plan, { metadata: { labels: { [labelName]: null }, managedFields: [{}] } });
      const ops = [
        { op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name: 'A', value: 'twice' } },
        { op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name: 'EVIL', value: '1' } },
      ];
      await it.edit(plan, ops, { type: 'json' });
      await it.edit(plan, { metadata: { managedFields: [{}] } });
    });
    assert.deepEqual(left, []);
    assert.equal(at(live, 'metadata', 'labels', labelName), it.owner.label);
    assert.deepEqual(at(specOf(live), 'containers', 0, 'env'), container.env);
  });

  test('restores a whole container of which only the image is observed', async (t) => {
    const it = await applying(t, 'correct-whole');
    const { left, live } = await corrected(it, web, imageAndEnv, async (plan) => {
      await it.edit(plan, { spec: { replicas: 9, template: { spec: { containers: [{ name: 'b', image: 'x' }] } } } });
    });
    assert.deepEqual(left, []);
    const containers = arrayOf(at(specOf(live), 'containers'));
    assert.deepEqual(namesOf(containers), ['a']);
    for (const [name, value] of Object.entries(container)) assert.deepEqual(at(containers, 0, name), value, name);
    assert.equal(at(live, 'spec', 'replicas'), 9);
  });

  test('restores a map without the fields that others removed, unless it needs them', async (t) => {
    const it = await applying(t, 'correct-map');
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1', b: '1' } };
    const bare = await corrected(it, settings, { data: { a: 'observed' } }, async (plan) => {
      await it.edit(plan, { data: null });
    });
    assert.deepEqual([bare.left, at(bare.live, 'data')], [[], { a: '1' }]);
    const containers = [{ ...container, livenessProbe: { httpGet: { path: '/', port: 80 } } }];
    const { template } = web.spec;
    const probed = { ...web, spec: { ...web.spec, template: { ...template, spec: { containers } } } };
    const path = { livenessProbe: { httpGet: { path: 'observed' } } };
    const observed = { spec: { template: { spec: { containers: [path, bounds(0, 0)] } } } };
    const { left, live } = await corrected(it, probed, observed, async (plan) => {
      const probe = '/spec/template/spec/containers/0/livenessProbe';
      await it.edit(plan, [{ op: 'remove', path: probe }], { type: 'json' });
    });
    assert.deepEqual([left, at(specOf(live), 'containers', 0, 'livenessProbe', 'httpGet', 'port')], [[], 80]);
  });

  test('never creates a deleted resource, or changes another one of its name, or one that is being deleted', async (t) => {
    const it = await applying(t, 'correct-deleted');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };
    const plan = await it.plan(object);
    const seen = good(await it.api.create(plan, it.signal)).object;
    await it.ns.cluster.api('DELETE', plan.target.path);
    assert.equal(bad(await it.api.correct(plan, seen, [], it.signal)).type, 'missing');
    assert.deepEqual(good(await it.api.read(plan.target, it.signal)), undefined);
    const other = {
      ...object,
      metadata: { name: 'settings', finalizers: ['example.org/stay'] },
      data: { a: 'theirs' },
    };
    await it.ns.cluster.api('POST', plan.target.collection, other);
    assert.equal(bad(await it.api.correct(plan, seen, [], it.signal)).type, 'otherUid');
    assert.deepEqual(at(await it.live(plan), 'data'), { a: 'theirs' });
    await it.ns.cluster.api('DELETE', plan.target.path);
    const ending = await it.live(plan);
    for (const outcome of [
      await it.api.correct(plan, ending, [], it.signal),
      await it.api.update(plan, ending, it.signal),
      await it.api.create(plan, it.signal),
    ])
      assert.equal(bad(outcome).type, 'terminating');
    assert.deepEqual(await it.live(plan), ending);
    await it.edit(plan, { metadata: { finalizers: null } });
  });
});
