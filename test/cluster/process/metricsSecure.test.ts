import assert from 'node:assert/strict';
import { get } from 'node:https';
import { suite, test } from 'node:test';
import { freePort } from '../../support/api/freePort.ts';
import { cleanUp } from '../support/cleanup.ts';
import { eventually, grant, startWeeder } from '../support/cluster.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

const config = { servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: { app: 'web' } }] } } };
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const reviewing = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
const weeding = [
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
];

/** The response to a scrape with this token, as `200 text`. The certificate is self-signed. */
function scrape(port: number, token?: string): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${port}/metrics`;
    const sent = get(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      let text = `${response.statusCode} `;
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
  });
}

// The tests run one after the other, because one of them stops the API server.
suite('metrics with --metrics-secure, on a real API server', () => {
  const own = suiteControlPlane();

  test('only an account that may get /metrics reads them, and no client does without the API server', async (t) => {
    const cluster = own();
    const [weeder, reader, other, late] = Array.from({ length: 4 }, () => cluster.takeUser());
    assert.ok(weeder !== undefined && reader !== undefined && other !== undefined && late !== undefined);
    await grant(cluster, weeder, weeding);
    const reviews = await grant(cluster, weeder, reviewing);
    for (const user of [reader, late]) {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
      const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
      await cluster.api('POST', `${rbac}/clusterroles`, { metadata: { name: user }, rules });
      await cluster.api('POST', `${rbac}/clusterrolebindings`, { metadata: { name: user }, roleRef, subjects });
      cleanUp(t, () => cluster.send('DELETE', `${rbac}/clusterroles/${user}`).then(() => undefined));
    }
    const port = await freePort();
    const flags = ['--events=false', '--metrics-secure', `--metrics-bind-addr=127.0.0.1:${port}`];
    const started = startWeeder(t, { cluster, config, user: weeder, flags });
    await started.ready();

    assert.match(await scrape(port), /^401 /);
    assert.match(await scrape(port, 'wrong'), /^401 /);
    assert.equal(await scrape(port, cluster.tokenOf(other)), `403 ${other} may not get the nonResourceURL /metrics\n`);
    const allowed = await eventually(
      async () => {
        const answer = await scrape(port, cluster.tokenOf(reader));
        return answer.startsWith('200 ') && answer;
      },
      { what: 'that the reader may read' },
    );
    assert.match(allowed, /^weeder_ready 1$/m);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/metrics`), 'there is no plain HTTP');

    await reviews.revoke();
    const unknown = await scrape(port, cluster.tokenOf(late));
    assert.match(unknown, /^503 weeder cannot authorize this request, because the API server is unreachable/);
    await started.log.until('the client of a page cannot be authorized');
    assert.match(await scrape(port, cluster.tokenOf(reader)), /^200 /, 'the decision is valid for a minute');

    await own().killApiServer();
    assert.match(await scrape(port, cluster.tokenOf(late)), /^503 /);
    assert.match(await scrape(port), /^401 /);
    await own().startApiServer();
  });
});
