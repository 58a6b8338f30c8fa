import assert from 'node:assert/strict';
import { type JsonObject, objectOf } from '../../src/base/json.ts';
import { applyPatch, configMap, configuration } from '../apply/configurations.ts';
import { waitForStatus } from '../kinds/definitions.ts';
import { body, meta, type NamespaceTest, refused, type TestNamespace } from '../target.ts';

const rbac = 'rbac.authorization.k8s.io';
const selfReview = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };

/** Requests as a ServiceAccount, which is limited to what roles allow. */
export function testImpersonation(test: NamespaceTest): void {
  test('a ServiceAccount without a role gets a 403 that names the verb and the resource', async (at) => {
    const tenant = accountOf(at);
    await at.create('configmaps', { metadata: { name: 'a' } });
    const one = refused(await at.send('GET', at.path('configmaps', 'a'), { impersonate: tenant }), 403, 'Forbidden');
    const where = `in API group "" in the namespace "${at.name}"`;
    assert.equal(
      one['message'],
      `configmaps "a" is forbidden: User "${tenant}" cannot get resource "configmaps" ${where}`,
    );
    assert.deepEqual(one['details'], { name: 'a', kind: 'configmaps' });
    const listStatus = refused(await at.send('GET', at.path('configmaps'), { impersonate: tenant }), 403, 'Forbidden');
    assert.equal(
      listStatus['message'],
      `configmaps is forbidden: User "${tenant}" cannot list resource "configmaps" ${where}`,
    );
    const cluster = refused(
      await at.send('GET', '/apis/apps/v1/deployments', { impersonate: tenant }),
      403,
      'Forbidden',
    );
    assert.match(
      String(cluster['message']),
      /cannot list resource "deployments" in API group "apps" at the cluster scope$/,
    );
    const options = { body: {}, contentType: 'application/merge-patch+json', impersonate: tenant };
    const scale = refused(await at.send('PATCH', at.path('deployments', 'web/scale'), options), 403, 'Forbidden');
    assert.match(
      String(scale['message']),
      /^deployments\.apps "web" is forbidden: .* cannot patch resource "deployments\/scale" in/,
    );
    body(await at.send('GET', '/apis/apps/v1', { impersonate: tenant }), 200);
  });

  test('a role allows its verbs on its resources in its namespace', async (at) => {
    const tenant = accountOf(at);
    await grant(at, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'], resourceNames: [] }]);
    await at.create('configmaps', { metadata: { name: 'a' } });
    await allowed(at, at.path('configmaps', 'a'));
    body(await at.send('GET', at.path('configmaps'), { impersonate: tenant }), 200);
    refused(await at.send('DELETE', at.path('configmaps', 'a'), { impersonate: tenant }), 403, 'Forbidden');
    refused(await at.send('GET', at.path('secrets'), { impersonate: tenant }), 403, 'Forbidden');
    refused(await at.send('GET', '/api/v1/namespaces/default/configmaps', { impersonate: tenant }), 403, 'Forbidden');
    await at.get('configmaps', 'a');
  });

  test('a role restricted to a name does not apply to others', async (at) => {
    await grant(at, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'], resourceNames: ['a'] }]);
    for (const name of ['a', 'b']) await at.create('configmaps', { metadata: { name } });
    await allowed(at, at.path('configmaps', 'a'));
    const impersonate = accountOf(at);
    refused(await at.send('GET', at.path('configmaps', 'b'), { impersonate }), 403, 'Forbidden');
    refused(await at.send('GET', at.path('configmaps'), { impersonate }), 403, 'Forbidden');
  });

  test('a user with patch only cannot create by an apply, and the response is the whole object', async (at) => {
    const impersonate = accountOf(at);
    await grant(at, [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['patch', 'create', 'get'] },
    ]);
    const send = (plural: string, object: JsonObject) =>
      at.send('PATCH', `${at.path(plural, 'a')}?fieldManager=one`, {
        body: object,
        contentType: applyPatch,
        impersonate,
      });
    await at.create('secrets', { metadata: { name: 'known' } });
    await allowed(at, at.path('secrets', 'known'));
    const absent = refused(await send('configmaps', configMap({ b: '2' })), 403, 'Forbidden');
    assert.match(
      String(absent['message']),
      /^configmaps "a" is forbidden: .* cannot create resource "configmaps" in API/,
    );
    await at.create('configmaps', { metadata: { name: 'a' }, data: { a: '1' } });
    assert.deepEqual(body(await send('configmaps', configMap({ b: '2' })), 200)['data'], { a: '1', b: '2' });
    const secret = body(await send('secrets', configuration('Secret', 'a', { data: {} })), 201);
    assert.equal(objectOf(meta(secret))['name'], 'a');
  });

  test('a ServiceAccount can review its own access to one object or to all of a kind, also as a dry run', async (at) => {
    const impersonate = accountOf(at);
    await grant(at, [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['a'] },
    ]);
    await at.create('configmaps', { metadata: { name: 'a' } });
    await allowed(at, at.path('configmaps', 'a'));
    const may = async (verb: string, resource: string, more: JsonObject = {}) => {
      const spec = { resourceAttributes: { verb, group: '', resource, namespace: at.name, ...more } };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?dryRun=All';
      const review = body(await at.send('POST', path, { body: { ...selfReview, spec }, impersonate }), 201);
      return objectOf(review['status'])['allowed'];
    };
    assert.equal(await may('get', 'configmaps'), true);
    assert.equal(await may('get', 'configmaps', { name: 'absent' }), true);
    assert.equal(await may('patch', 'configmaps'), false);
    assert.equal(await may('get', 'configmaps', { namespace: 'default' }), false);
    assert.equal(await may('get', 'secrets'), false);
    assert.equal(await may('get', 'secrets', { name: 'a' }), true);
    assert.equal(await may('get', 'secrets', { name: 'b' }), false);
  });
}

function accountOf(at: TestNamespace): string {
  return `system:serviceaccount:${at.name}:tenant`;
}

async function grant(at: TestNamespace, rules: readonly JsonObject[]): Promise<void> {
  await at.create('roles', { metadata: { name: 'tenant' }, rules });
  const subjects = [{ kind: 'ServiceAccount', name: 'tenant', namespace: at.name }];
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'tenant' };
  await at.create('rolebindings', { metadata: { name: 'tenant' }, subjects, roleRef });
}

/** Waits until the grant is effective: the real server reads roles through watches. */
async function allowed(at: TestNamespace, path: string): Promise<void> {
  await waitForStatus(at, path, 200, accountOf(at));
}
