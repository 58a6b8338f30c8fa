import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { body, type NamespaceTest, type Target } from '../target.ts';

const groups = ['apps', 'coordination.k8s.io', 'discovery.k8s.io', 'events.k8s.io', 'policy'];

const resources = {
  '/api/v1': [
    'endpoints',
    'events',
    'namespaces',
    'namespaces/status',
    'pods',
    'pods/eviction',
    'pods/status',
    'services',
  ],
  '/apis/apps/v1': ['replicasets', 'replicasets/status'],
  '/apis/coordination.k8s.io/v1': ['leases'],
  '/apis/discovery.k8s.io/v1': ['endpointslices'],
  '/apis/events.k8s.io/v1': ['events'],
  '/apis/policy/v1': ['poddisruptionbudgets', 'poddisruptionbudgets/status'],
};

const described = ['name', 'singularName', 'namespaced', 'kind', 'shortNames', 'group', 'version'];

/** Discovery, version and health. */
export function testDiscovery(test: NamespaceTest): void {
  test('the server reports its version and its health', async ({ target }) => {
    const { major, minor, gitVersion } = body(await target.send('GET', '/version'), 200);
    assert.match(String(gitVersion), RegExp(`^v${major}\\.${minor}\\.\\d+`));
    for (const path of ['/healthz', '/livez', '/readyz']) assert.equal(await healthAt(target, path), 'ok');
  });

  test('the server lists its groups and their versions', async ({ target }) => {
    assert.deepEqual(body(await target.send('GET', '/api'), 200)['versions'], ['v1']);
    const list = body(await target.send('GET', '/apis'), 200);
    const groupsByName = new Map(arrayOf(list['groups']).map((each) => [objectOf(each)['name'], objectOf(each)]));
    for (const name of groups) {
      const preferredVersion = { groupVersion: `${name}/v1`, version: 'v1' };
      assert.partialDeepStrictEqual(groupsByName.get(name), { name, preferredVersion });
      const one = body(await target.send('GET', `/apis/${name}`), 200);
      assert.partialDeepStrictEqual(one, { kind: 'APIGroup', apiVersion: 'v1', name, preferredVersion });
    }
  });

  test('each group lists its resources with the fields clients expect', async ({ target }) => {
    body(await target.send('GET', '/apis/apps/v1/'), 200);
    for (const [path, expected] of Object.entries(resources)) {
      const list = body(await target.send('GET', path), 200);
      assert.equal(list['kind'], 'APIResourceList');
      const rowsByName = new Map(arrayOf(list['resources']).map((each) => [objectOf(each)['name'], objectOf(each)]));
      for (const name of expected) {
        const row = rowsByName.get(name);
        assert(row !== undefined, `${path} has no ${name}`);
        assert(arrayOf(row['verbs']).length > 0);
        assert.deepEqual(
          Object.keys(row).filter(
            (key) =>
              !described.includes(key) && key !== 'verbs' && key !== 'storageVersionHash' && key !== 'categories',
          ),
          [],
        );
      }
    }
  });

  test('aggregated discovery returns one document for /api and one for /apis, and 304 while it is unchanged', async ({
    target,
  }) => {
    const form = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const accept = `${form('v2')},${form('v2beta1')},application/json`;
    for (const [path, group, version, plural] of [
      ['/api', undefined, 'v1', 'pods'],
      ['/apis', 'apps', 'v1', 'deployments'],
    ] as const) {
      const answer = await target.send('GET', path, { accept });
      const list = body(answer, 200);
      assert.deepEqual([list['kind'], list['apiVersion']], ['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2']);
      const discovery = arrayOf(list['items'])
        .map(objectOf)
        .find(({ metadata }) => objectOf(metadata)['name'] === group);
      const served = objectOf(arrayOf(discovery?.['versions'])[0]);
      assert.deepEqual([served['version'], served['freshness']], [version, 'Current']);
      const row = arrayOf(served['resources'])
        .map(objectOf)
        .find(({ resource }) => resource === plural);
      assert.equal(row?.['scope'], 'Namespaced');
      const kind = plural === 'pods' ? 'Pod' : 'Deployment';
      assert.deepEqual(row?.['responseKind'], { group: '', version: '', kind });
      for (const verb of ['get', 'patch', 'delete']) assert(arrayOf(row?.['verbs']).includes(verb));
      const etag = String(answer.headers['etag']);
      assert.match(etag, /^"[0-9A-F]{128}"$/);
      const again = await target.send('GET', path, { accept, etag });
      // A definition that another test creates between the two requests changes the document.
      assert([200, 304].includes(again.status), String(again.status));
      const plain = body(await target.send('GET', path, { accept: 'application/json' }), 200);
      assert.equal(plain['kind'], path === '/api' ? 'APIVersions' : 'APIGroupList');
    }
  });

  test('the verbs of a resource are the ones it supports', async ({ target }) => {
    const list = body(await target.send('GET', '/api/v1'), 200);
    const verbsOf = (name: string) =>
      arrayOf(
        arrayOf(list['resources'])
          .map(objectOf)
          .find((each) => each['name'] === name)?.['verbs'],
      );
    const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    assert.deepEqual(verbsOf('pods'), verbs);
    assert.deepEqual(
      verbsOf('namespaces').toSorted(),
      verbs.filter((verb) => verb !== 'deletecollection'),
    );
    assert.deepEqual(verbsOf('pods/eviction'), ['create']);
    assert.deepEqual(verbsOf('pods/status'), ['get', 'patch', 'update']);
  });
}

/** Reads until the server is healthy: its check of etcd fails after two seconds on a busy machine. */
async function healthAt(target: Target, path: string): Promise<unknown> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { status, body: text } = await target.send('GET', path);
    if (status === 200 || performance.now() > deadline) return text;
    await setTimeout(200);
  }
}
