import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import { body, meta, type NamespaceTest, type TestNamespace, versionOf } from '../target.ts';
import { applied, apply, configMap, configuration, edit, live, owners } from './configurations.ts';

/** Server-side apply and the types of the API: invalid values, and the canonical form of valid ones. */
export function testApplyTypes(test: NamespaceTest): void {
  test('a configuration of wrong types gets a 500 that names each field, its path and the value found', async (at) => {
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [configMap({ a: 1 }), '/v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}'],
      [{ ...configMap({}), foo: 1 }, '/v1, Kind=ConfigMap): .foo: field not declared in schema'],
      [
        workload({ replicas: 'x' }),
        'apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string',
      ],
      [
        workload({ template: { spec: { containers: [{ name: 'a', foo: 1 }] } } }),
        'apps/v1, Kind=Deployment): .spec.template.spec.containers[name="a"].foo: field not declared in schema',
      ],
      [
        workload({ template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } }),
        'apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
      ],
      [
        workload({ paused: 'no', template: { spec: { containers: { a: 1 } } } }),
        'apps/v1, Kind=Deployment): errors:\n  .spec.paused: expected boolean, got &{no}\n  .spec.template.spec.containers: expected list, got &{map[a:1]}',
      ],
    ];
    for (const [object, end] of wrong) {
      const { code, reason, message, details } = body(await apply(at, object), 500);
      const expected = `failed to create typed patch object (/${String(meta(object)['name'])}; ${end}`;
      // A real server reports several errors in any order.
      assert.deepEqual(String(message).split('\n').sort(), expected.split('\n').sort());
      assert.deepEqual([code, reason, details], [500, undefined, undefined]);
    }
  });

  test('values are stored in the canonical form of their type, and applying them again changes nothing', async (at) => {
    const resources = {
      limits: { cpu: '1000m', memory: '1024Mi', 'ephemeral-storage': '1500M' },
      requests: { cpu: 0.5, memory: '0.5Gi' },
    };
    const main = {
      name: 'a',
      image: 'registry.invalid/none:1',
      command: [],
      env: [{ name: 'E', value: '' }],
      readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 0 },
      resources,
    };
    const spec = { containers: [main], nodeSelector: {}, imagePullSecrets: [], hostNetwork: false };
    const object = workload({ replicas: 0, minReadySeconds: 0, selector, template: { metadata: { labels }, spec } });
    const reply = await applied(at, object);
    const written = containerOf(reply);
    assert.deepEqual(written['resources'], {
      limits: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1500M' },
      requests: { cpu: '500m', memory: '512Mi' },
    });
    assert.deepEqual([written['command'], written['env']], [undefined, [{ name: 'E' }]]);
    assert.deepEqual(written['readinessProbe'], {
      tcpSocket: { port: 80 },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    });
    const { minReadySeconds, replicas, template } = objectOf(reply['spec']);
    const { nodeSelector, imagePullSecrets, hostNetwork } = objectOf(objectOf(template)['spec']);
    assert.deepEqual([minReadySeconds, replicas], [undefined, 0]);
    assert.deepEqual([nodeSelector, imagePullSecrets, hostNetwork], [undefined, undefined, undefined]);
    const again = await applied(at, object);
    assert.deepEqual([again['spec'], owners(again)['one/Apply']], [reply['spec'], owners(reply)['one/Apply']]);
    assert.equal(meta(again)['generation'], 1);
  });

  test('an applied null is owned, and resets a value set by another client to its default', async (at) => {
    const spec = { containers: [{ name: 'a', image: 'registry.invalid/none:1' }], nodeSelector: { none: 'such' } };
    const silent = workload({ selector, template: { metadata: { labels }, spec } });
    await applied(at, silent);
    await edit(at, silent, { spec: { revisionHistoryLimit: 5 } });
    const nothing = workload({ revisionHistoryLimit: null });
    const reset = await applied(at, nothing, 'two&force=true');
    assert.equal(objectOf(reset['spec'])['revisionHistoryLimit'], 10);
    assert.deepEqual(owners(reset)['two/Apply'], { 'f:spec': { 'f:revisionHistoryLimit': {} } });
    assert.equal(owners(reset)['human/Update'], undefined);
  });

  test('stringData of a Secret is owned as stringData, so that a removed key remains in data', async (at) => {
    const secret = (stringData: JsonObject) => configuration('Secret', 'a', { stringData });
    const object = await applied(at, secret({ a: '1', b: '2' }));
    assert.deepEqual(owners(object)['one/Apply'], { 'f:stringData': { 'f:a': {}, 'f:b': {} } });
    const less = await applied(at, secret({ a: '1' }));
    assert.deepEqual(less['data'], { a: 'MQ==', b: 'Mg==' });
    const { message } = body(await apply(at, secret({ a: 42 })), 500);
    assert.match(String(message), /\.stringData\.a: expected string, got .*42/);
  });

  test('extra keys and keys with empty values remain in a map', async (at) => {
    const object = configMap({ c: '' });
    assert.deepEqual((await applied(at, object))['data'], { c: '' });
    await edit(at, object, { data: { extra: '1' } });
    assert.deepEqual((await applied(at, object))['data'], { c: '', extra: '1' });
    await edit(at, object, { data: { c: null } });
    assert.deepEqual((await applied(at, object))['data'], { c: '', extra: '1' });
  });

  test('a client that creates a workload by POST owns the defaults as well', async (at) => {
    const spec = {
      containers: [{ name: 'a', image: 'registry.invalid/none:1', ports: [{ containerPort: 80 }] }],
      nodeSelector: { none: 'such' },
      volumes: [{ name: 'v', emptyDir: {} }],
    };
    const object = workload({ replicas: 0, selector, template: { metadata: { labels }, spec } });
    const post = await at.send('POST', `${at.path('deployments')}?fieldManager=hand`, { body: object });
    const { 'f:template': template, ...rest } = objectOf(objectOf(owners(body(post, 201))['hand/Update'])['f:spec']);
    assert.deepEqual(rest, {
      'f:progressDeadlineSeconds': {},
      'f:replicas': {},
      'f:revisionHistoryLimit': {},
      'f:selector': {},
      'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} }, 'f:type': {} },
    });
    const pod = objectOf(objectOf(template)['f:spec']);
    assert.deepEqual(objectOf(template)['f:metadata'], { 'f:labels': { '.': {}, 'f:app': {} } });
    assert.deepEqual(pod['f:volumes'], { '.': {}, 'k:{"name":"v"}': { '.': {}, 'f:emptyDir': {}, 'f:name': {} } });
    assert.deepEqual(pod['f:nodeSelector'], {});
    assert.deepEqual(Object.keys(objectOf(pod['f:containers'])), ['k:{"name":"a"}']);
    const ports = objectOf(objectOf(objectOf(pod['f:containers'])['k:{"name":"a"}'])['f:ports']);
    assert.deepEqual(ports, {
      '.': {},
      'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
    });
  });

  test('fields set by the server have no owner', async (at) => {
    const service = configuration('Service', 'web', { spec: { ports: [{ port: 80 }] } });
    const post = await at.send('POST', `${at.path('services')}?fieldManager=hand`, { body: service });
    const object = body(post, 201);
    assert.equal(typeof objectOf(object['spec'])['clusterIP'], 'string');
    assert.deepEqual(Object.keys(objectOf(objectOf(owners(object)['hand/Update'])['f:spec'])), [
      'f:internalTrafficPolicy',
      'f:ports',
      'f:sessionAffinity',
      'f:type',
    ]);
    const corrected = await applied(at, service, 'one&force=true');
    assert.equal(objectOf(corrected['spec'])['clusterIP'], objectOf(object['spec'])['clusterIP']);
  });

  test('an apply to a terminating object works as usual, and the object is still deleted', async (at) => {
    const object = configMap({ a: '1' });
    await applied(at, object);
    await edit(at, object, { metadata: { finalizers: ['x.io/hold'] } });
    body(await at.send('DELETE', at.path('configmaps', 'a')), 200);
    const changed = await applied(at, configMap({ a: '2' }));
    assert.deepEqual([changed['data'], typeof meta(changed)['deletionTimestamp']], [{ a: '2' }, 'string']);
    await edit(at, object, { metadata: { finalizers: null } });
    assert.equal((await at.send('GET', at.path('configmaps', 'a'))).status, 404);
  });

  test('each apply of an empty egress list increments the generation, one without it does not', async (at) => {
    const policy = (name: string, spec: JsonObject) => configuration('NetworkPolicy', name, { spec });
    const generations = async (object: JsonObject) => {
      const numbers: unknown[] = [];
      for (let round = 0; round < 3; round += 1) numbers.push(meta(await applied(at, object))['generation']);
      return numbers;
    };
    assert.deepEqual(await generations(policy('a', { podSelector: {}, egress: [] })), [1, 2, 3]);
    assert.deepEqual(await generations(policy('b', { podSelector: {} })), [1, 1, 1]);
    assert.equal(objectOf((await live(at, policy('a', {})))['spec'])['egress'], undefined);
  });

  test('applied fields outside the spec do not increment the generation', async (at) => {
    const spec = { containers: [{ name: 'a', image: 'registry.invalid/none:1' }], nodeSelector: { none: 'such' } };
    const object = workload({ replicas: 0, selector, template: { metadata: { labels }, spec } });
    const reply = await applied(at, object);
    const labelled = configuration('Deployment', 'web', {}, { labels: { x: '1' } });
    const shared = await applied(at, labelled, 'two');
    assert.equal(meta(shared)['generation'], 1);
    assert.notEqual(versionOf(shared), versionOf(reply));
    assert.equal(await generation(at, workload({ replicas: 1 }), 'two&force=true'), 2);
    assert.equal(await generation(at, workload({ replicas: 1 }), 'two'), 2);
    assert.equal(arrayOf(meta(await live(at, object))['managedFields']).length >= 2, true);
  });
}

const labels = { app: 'web' };
const selector = { matchLabels: labels };

function workload(spec: JsonObject): JsonObject {
  return configuration('Deployment', 'web', { spec });
}

function containerOf(object: JsonObject): JsonObject {
  return objectOf(arrayOf(objectOf(objectOf(objectOf(object['spec'])['template'])['spec'])['containers'])[0]);
}

async function generation(at: TestNamespace, object: JsonObject, query: string): Promise<unknown> {
  return meta(await applied(at, object, query))['generation'];
}
