import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import { body, meta, type NamespaceTest, refused } from '../target.ts';
import { applied, apply, configuration, edit, live, owners } from './configurations.ts';

/** Server-side apply of lists, and of objects with required fields. */
export function testApplyLists(test: NamespaceTest): void {
  test('an apply with fewer fields by the manager that created a workload removes the other fields', async (at) => {
    await applied(at, deployment([container('a')], { replicas: 2 }), 'weeder');
    const bare = configuration('Deployment', 'web', { spec: { template: { spec: { containers: [container('a')] } } } });
    const status = refused(await apply(at, bare, 'weeder'), 422, 'Invalid');
    assert.match(String(status['message']), /spec\.selector: Required value/);
    const less = await applied(at, deployment([{ name: 'a', image: image(1) }]), 'weeder');
    assert.deepEqual([objectOf(less['spec'])['replicas'], variables(less)], [1, []]);
  });

  test('with two managers a correction restores the observed fields and does not change the others', async (at) => {
    const whole = deployment([container('a', ['A', 'B'])], { replicas: 0 });
    const observed = configuration('Deployment', 'web', {
      spec: { template: { spec: { containers: [container('a', ['A'])] } } },
    });
    const unobserved = deployment([{ name: 'a', env: variable(['B']) }], { replicas: 0 });
    await applied(at, whole, 'init');
    await applied(at, observed, 'weeder&force=true');
    assert.equal(meta(await applied(at, unobserved, 'init'))['generation'], 1);
    await edit(at, whole, [
      { op: 'replace', path: '/spec/replicas', value: 0 },
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: image(9) },
      { op: 'replace', path: '/spec/template/spec/containers/0/env/1/value', value: 'edited' },
      { op: 'remove', path: '/spec/template/spec/containers/0/env/0' },
    ]);
    refused(await apply(at, observed, 'weeder'), 409, 'Conflict');
    const corrected = await applied(at, observed, 'weeder&force=true');
    assert.deepEqual(variables(corrected).toSorted(), ['A=A', 'B=edited']);
    assert.equal(containers(corrected)[0]?.['image'], image(1));
    assert.deepEqual(owners(corrected)['weeder/Apply'], {
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"a"}': {
                '.': {},
                'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                'f:image': {},
                'f:name': {},
              },
            },
          },
        },
      },
    });
  });

  test('an apply does not remove an item that another client added, unless its manager owns it', async (at) => {
    const mine = deployment([container('a')], { replicas: 0 });
    const object = await applied(at, mine, 'weeder');
    const added = await edit(at, mine, [
      { op: 'add', path: '/spec/template/spec/containers/-', value: container('evil') },
      { op: 'add', path: '/metadata/labels', value: { human: '1' } },
    ]);
    assert.deepEqual((await applied(at, mine, 'weeder&force=true'))['spec'], added['spec']);
    const weeder = arrayOf(meta(added)['managedFields'])
      .map(objectOf)
      .find(({ manager }) => manager === 'weeder');
    const taken = structuredClone(objectOf(weeder?.['fieldsV1']));
    Object.assign(containersIn(taken), containersIn(owners(added)['human/Update']));
    await edit(at, mine, { metadata: { managedFields: [{ ...weeder, fieldsV1: taken }] } });
    assert.deepEqual(names(await live(at, mine)), ['a', 'evil']);
    const corrected = await applied(at, mine, 'weeder&force=true');
    assert.deepEqual(containers(corrected), containers(object));
    assert.deepEqual(meta(corrected)['labels'], { human: '1' });
  });

  test('a changed key makes another item, which conflicts with the applied one', async (at) => {
    const service = configuration('Service', 'web', {
      spec: {
        ports: [
          { name: 'http', port: 80 },
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53 },
        ],
      },
    });
    const object = await applied(at, service, 'weeder');
    assert.deepEqual(Object.keys(objectOf(objectOf(objectOf(owners(object)['weeder/Apply'])['f:spec'])['f:ports'])), [
      'k:{"port":53,"protocol":"TCP"}',
      'k:{"port":53,"protocol":"UDP"}',
      'k:{"port":80,"protocol":"TCP"}',
    ]);
    await edit(at, service, [{ op: 'replace', path: '/spec/ports/0/port', value: 82 }]);
    const status = refused(await apply(at, service, 'weeder&force=true'), 422, 'Invalid');
    assert.match(String(status['message']), /spec\.ports\[\d\]\.name: Duplicate value: "http"/);
    assert.deepEqual(
      arrayOf(objectOf(status['details'])['causes']).map((cause) => objectOf(cause)['reason']),
      ['FieldValueDuplicate'],
    );
  });

  test('an apply merges a duplicated item into one', async (at) => {
    const mine = deployment([container('a', ['A', 'B'])], { replicas: 0 });
    await applied(at, mine, 'weeder');
    const path = '/spec/template/spec/containers/0/env/-';
    const doubled = await edit(at, mine, [{ op: 'add', path, value: { name: 'A', value: 'other' } }]);
    assert.deepEqual(variables(doubled), ['A=A', 'B=B', 'A=other']);
    assert.deepEqual(variables(await applied(at, mine, 'weeder&force=true')).toSorted(), ['A=A', 'B=B']);
  });

  test('the applied order is followed, and the items of other managers remain in between', async (at) => {
    const inOrder = (names: readonly string[]) => deployment([container('a', names)], { replicas: 0 });
    const object = await applied(at, inOrder(['A', 'B', 'C']));
    const at2 = '/spec/template/spec/containers/0/env/2';
    await edit(at, object, [{ op: 'add', path: at2, value: { name: 'Y', value: 'Y' } }]);
    const order = async (names: readonly string[]) =>
      variables(await applied(at, inOrder(names)))
        .map((each) => each.slice(0, 1))
        .join('');
    assert.equal(await order(['A', 'B', 'C']), 'ABYC');
    assert.equal(await order(['C', 'B', 'A']), 'YCBA');
    assert.equal(await order(['N', 'B', 'M', 'A', 'L']), 'YNBMAL');
    assert.equal(await order(['K']), 'YK');
  });

  test('a strategic merge patch inserts a new item first', async (at) => {
    const object = await applied(at, deployment([container('a', ['A', 'B'])], { replicas: 0 }));
    const patch = (env: JsonObject[]) => ({
      body: { spec: { template: { spec: { containers: [{ name: 'a', env }] } } } },
      contentType: 'application/strategic-merge-patch+json',
    });
    const path = at.path('deployments', String(meta(object)['name']));
    const first = body(await at.send('PATCH', path, patch([{ name: 'Z', value: 'Z' }])), 200);
    assert.deepEqual(variables(first), ['Z=Z', 'A=A', 'B=B']);
    const mixed = [
      { name: 'B', value: 'x' },
      { name: 'Y', value: 'Y' },
      { name: 'Z', $patch: 'delete' },
    ];
    assert.deepEqual(variables(body(await at.send('PATCH', path, patch(mixed)), 200)), ['A=A', 'B=x', 'Y=Y']);
  });

  test('an atomic list is replaced as a whole: applying part of it deletes the rest', async (at) => {
    const backend = { service: { name: 'web', port: { number: 80 } } };
    const rules = [{ host: 'a.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
    const object = await applied(at, configuration('Ingress', 'web', { spec: { rules } }), 'init');
    assert.deepEqual(owners(object), { 'init/Apply': { 'f:spec': { 'f:rules': {} } } });
    const part = configuration('Ingress', 'web', { spec: { rules: [{ host: 'a.example' }] } });
    refused(await apply(at, part, 'weeder'), 409, 'Conflict');
    assert.deepEqual(objectOf((await applied(at, part, 'weeder&force=true'))['spec'])['rules'], [
      { host: 'a.example' },
    ]);
  });
}

function deployment(own: readonly JsonObject[], spec: JsonObject = {}): JsonObject {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: own } };
  return configuration('Deployment', 'web', { spec: { ...spec, selector: { matchLabels: labels }, template } });
}

function image(tag: number): string {
  return `registry.invalid/none:${tag}`;
}

function container(name: string, env: readonly string[] = []): JsonObject {
  return { name, image: image(1), ...(env.length === 0 ? {} : { env: variable(env) }) };
}

function variable(names: readonly string[]): readonly JsonObject[] {
  return names.map((name) => ({ name, value: name }));
}

function containers(object: JsonObject): readonly JsonObject[] {
  return arrayOf(objectOf(objectOf(objectOf(object['spec'])['template'])['spec'])['containers']).map(objectOf);
}

function names(object: JsonObject): readonly string[] {
  return containers(object)
    .map(({ name }) => String(name))
    .toSorted();
}

/** Returns the fieldsV1 of the containers of a template. */
function containersIn(fieldsV1: unknown): object {
  const template = objectOf(objectOf(objectOf(fieldsV1)['f:spec'])['f:template']);
  return objectOf(objectOf(template['f:spec'])['f:containers']);
}

/** The variables of the first container, as `NAME=VALUE`. */
function variables(object: JsonObject): readonly string[] {
  const env = arrayOf(containers(object)[0]?.['env']).map(objectOf);
  return env.map(({ name, value }) => `${String(name)}=${String(value)}`);
}
