import assert from 'node:assert/strict';
import { body, lease, type NamespaceTest, pod, refused } from '../target.ts';

/** Responses to unsupported requests. */
export function testErrors(test: NamespaceTest): void {
  test('a missing object gets a 404 that names it', async (at) => {
    const missing = refused(await at.send('GET', at.path('pods', 'nothing')), 404, 'NotFound');
    assert.equal(missing['message'], 'pods "nothing" not found');
    assert.deepEqual(missing['details'], { name: 'nothing', kind: 'pods' });
    refused(await at.send('GET', '/api/v1/namespaces/no-such-namespace'), 404, 'NotFound');
  });

  test('unknown resources of a group get a 404', async (at) => {
    const paths = [
      '/api/v1/nothings',
      '/apis/apps/v1/nothings',
      '/apis/apps/v9/replicasets',
      at.path('nothings'),
      at.path('pods', 'web/nothing'),
      '/api/v1/pods/web',
    ];
    for (const path of paths) {
      const status = refused(await at.send('GET', path), 404, 'NotFound');
      assert.equal(status['message'], 'the server could not find the requested resource', path);
    }
  });

  test('unknown paths get a plain 404 without a Status', async ({ target }) => {
    for (const path of ['/nothing', '/healthz/', '/apis/nothing.io/v1/things']) {
      const answer = await target.send('GET', path);
      assert.equal(answer.status, 404);
      assert.match(String(answer.headers['content-type']), /^text\/plain/);
      assert.match(String(answer.body), /404 page not found/);
    }
  });

  test('unsupported methods of a path get a 405', async (at) => {
    await at.create('pods', pod('web'));
    const message = 'the server does not allow this method on the requested resource';
    const attempts = [
      ['POST', at.path('pods', 'web')],
      ['PUT', at.path('pods')],
      ['PATCH', at.path('pods')],
      ['POST', '/api/v1/pods'],
      ['GET', at.path('pods', 'web/eviction')],
      ['DELETE', at.path('pods', 'web/eviction')],
      ['POST', at.path('pods', 'web/status')],
    ] as const;
    for (const [method, path] of attempts) {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const options = method === 'GET' ? {} : { body: {}, contentType };
      const status = refused(await at.send(method, path, options), 405, 'MethodNotAllowed');
      assert.equal(status['message'], message, `${method} ${path}`);
    }
  });

  test('responses are JSON, and an Accept header without JSON gets a 406', async (at) => {
    const path = at.path('pods');
    refused(await at.send('GET', path, { accept: 'text/html' }), 406, 'NotAcceptable');
    refused(await at.send('GET', path, { accept: 'application/*' }), 406, 'NotAcceptable');
    const unknownForm = 'application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json';
    for (const accept of ['*/*', 'text/html, application/json', 'application/json;q=0.9', unknownForm]) {
      const answer = await at.send('GET', path, { accept });
      assert.equal(body(answer, 200)['kind'], 'PodList', accept);
    }
  });

  test('bodies in other formats are refused', async (at) => {
    const post = (contentType: string) => at.send('POST', at.path('leases'), { text: 'x', contentType });
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded']) {
      refused(await post(contentType), 415, 'UnsupportedMediaType');
    }
    const contentType = 'application/json; charset=utf-8';
    body(await at.send('POST', at.path('leases'), { body: lease('a'), contentType }), 201);
  });
}
