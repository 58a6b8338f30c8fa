import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { createApiServer } from '@weeder/embedded-cluster';
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  namespaces,
  roleBindings,
  secrets,
} from '@weeder/embedded-cluster/resources';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { parse } from 'yaml';
import { shapes } from '../../src/cli/data/shapes.ts';
import { applicationsPath } from '../../src/observer/status/applicationApi.ts';
import { httpClient } from '../cluster/support/plane/http.ts';
import { freePort } from '../support/api/freePort.ts';
import { file, kubeconfig, oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { made } from '../support/world/embedded.ts';

const namespace = 'shop';
const labels = { app: 'web' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

test('on the embedded API server the real program applies an application and corrects drift', async (t) => {
  const scene = await setScene(t, true);
  await scene.apply({ manifests: [deployment] });
  await until('it is applied', () => scene.image() === 'web:1');
  await until('it is in sync', () => scene.condition('InSync') === 'True');
  made(
    scene.server.store.patch(deployments, namespace, 'web', {
      metadata: { labels: { team: 'a' } },
      spec: { template: { spec: { containers: [{ name: 'web', image: 'evil:1' }] } } },
    }),
  );
  await until('it is corrected', () => scene.image() === 'web:1');
  assert.equal(scene.deployment()?.metadata.labels?.['team'], 'a');
  const asTenant = `system:serviceaccount:${namespace}:default`;
  assert(scene.server.requests.countAs(asTenant, 'patch', 'deployments') >= 2);
  await scene.remove();
  await until('its resources are deleted with it', () => scene.deployment() === undefined);
  await until('the application is deleted', () => scene.application() === undefined);
});

test('on the embedded API server a tenant without permission gets the reason in the condition', async (t) => {
  const scene = await setScene(t, false);
  await scene.apply({ manifests: [deployment] });
  await until('it is reported', () => scene.condition('Applied') === 'False');
  const conditions = arrayOf(objectOf(scene.application()?.['status'])['conditions']).map(objectOf);
  const applied = conditions.find(({ type }) => type === 'Applied');
  assert.match(String(applied?.['message']), /deployments/i);
  assert.equal(scene.deployment(), undefined);
});

test('a resource that was never applied and that the stream does not have takes one request, without a read before it', async (t) => {
  const scene = await setScene(t, true);
  const settings = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });
  await scene.apply({ manifests: [settings('first')] });
  await until('the first one is in sync', () => scene.condition('InSync') === 'True');
  const asTenant = `system:serviceaccount:${namespace}:default`;
  const { requests } = scene.server;
  const counts = () => [requests.count('get', 'configmaps'), requests.countAs(asTenant, 'patch', 'configmaps')];
  const [reads = 0, applies = 0] = counts();
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
  await scene.update({ manifests: ['first', ...names].map(settings) });
  await until('all are in sync', () => scene.inSync() === 21);
  assert.deepEqual(counts(), [reads, applies + 20]);
});

test('without the CRD of applications the log names its file, and weeder is ready; the CRD is found once it exists', async (t) => {
  const scene = await setScene(t, true, 'weeder without definition');
  await until('the file is named', () => scene.log().includes('apply deploy/components/observer-named/crd.yaml'));
  const ready = async () => (await fetch(`http://${scene.health}/readyz?verbose`).catch(() => undefined))?.text();
  let readiness: string | undefined;
  await until('it is ready', () => {
    void ready().then((text) => {
      readiness = text;
    });
    return readiness?.includes('[+]manager') === true && readiness.includes('readyz check passed');
  });
  assert.match(readiness ?? '', /\[\+\]stream\/applications .*The API server has no kind applications\.weeder\.dev/);
  assert.match(
    scene.log(),
    /starting controller without streams that cannot be read yet|caches synced, starting controller/,
  );
  scene.define();
  await until('it is served', () => scene.log().includes('"stream":"applications","resourceVersion"'));
  await scene.apply({ manifests: [deployment] });
  await until('it is in sync', () => scene.condition('InSync') === 'True');
});

test('explain uses the namespace of the kubeconfig’s context, or default; the flag takes precedence', async (t) => {
  const { url, apply } = await setServer(t, true);
  await apply({ mode: 'detect', manifests: [deployment] });
  const explain = async (context: object, ...flags: readonly string[]) => {
    const path = file(`explain-${JSON.stringify(context).length}.kubeconfig`, kubeconfig(url, {}, {}, context));
    const { stdout, stderr } = await sharedCli(['explain', 'application', 'shop', `--kubeconfig=${path}`, ...flags]);
    return (stdout || stderr).split('\n', 1)[0] ?? '';
  };
  const applicationLine = /^Application shop\/shop: Missing, mode detect/;
  const absentIn = (name: string) => new RegExp(`There is no application shop in the namespace ${name}\\.`);
  assert.match(await explain({ namespace }), applicationLine);
  assert.match(await explain({ namespace: 'other' }), absentIn('other'));
  assert.match(await explain({ namespace: 'other' }, '-n', namespace), applicationLine);
  assert.match(await explain({ namespace }, '--namespace=other'), absentIn('other'));
  assert.match(await explain({}), absentIn('default'));
});

test('explain writes an application as data, with what the text says and no value of a Secret', async (t) => {
  const { server, url, apply } = await setServer(t, true);
  const [settings, login] = ['ConfigMap', 'Secret'].map((kind) => (value: string) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: kind.toLowerCase() },
    data: { key: Buffer.from(value).toString('base64') },
  }));
  assert(settings !== undefined && login !== undefined);
  for (const [resource, live] of [
    [configMaps, settings('hunter2')],
    [secrets, login('geheim2')],
  ] as const)
    made(server.store.create(resource, { ...live, metadata: { ...live.metadata, namespace } }));
  await apply({ mode: 'detect', manifests: [deployment, settings('hunter3'), login('geheim3')] });
  const access = ['-n', namespace, `--kubeconfig=${file('explain-data.kubeconfig', kubeconfig(url))}`];
  const ask = async (...flags: readonly string[]) => {
    const { stdout, stderr, code } = await sharedCli(['explain', 'application', 'shop', ...access, ...flags]);
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  };
  const explained = shapes.ApplicationExplanation.parse(JSON.parse(await ask('-ojson')));
  const yaml: unknown = parse(await ask('-oyaml'));
  assert.deepEqual(yaml, explained);
  const text = await ask();
  assert.deepEqual(
    text.split('\n').filter((line) => /^\w/.test(line)),
    [
      `Application shop/shop: ${explained.state}, mode detect, deletionPolicy delete, resync every 30s, as ${explained.account}`,
      ...explained.resources.map(
        ({ kind, name, answer, verdict }) => `${kind} shop/${name}: ${answer}${verdict ? `  → ${verdict}` : ''}`,
      ),
    ],
  );
  const [web, open, secret] = explained.resources;
  assert.partialDeepStrictEqual(web, { group: 'apps', namespace, name: 'web', verdict: 'reported, and not corrected' });
  const [path, conflictingManager] = ['.data.key', 'unknown/Update'];
  const [wanted, found] = ['hunter3', 'hunter2'].map((value) => JSON.stringify(settings(value).data.key));
  assert.deepEqual(open?.fields, [{ path, type: 'changed', desired: wanted, found, conflictingManager }]);
  assert.deepEqual(secret?.fields, [{ path, type: 'changed', conflictingManager }]);
  const values = ['geheim2', 'geheim3'].map((value) => login(value).data.key);
  assert.doesNotMatch(JSON.stringify([explained, text]), new RegExp(['geheim', ...values].join('|')));
});

test('explain names the kind Application as missing in a cluster without its CRD', async (t) => {
  const { url } = await setServer(t, true, false);
  const path = file('undefined.kubeconfig', kubeconfig(url));
  const missing = oneSentence(await sharedCli(['explain', 'application', 'shop', `--kubeconfig=${path}`]), 1);
  assert.equal(missing, 'The cluster does not have the kind Application of weeder.dev. Install it from deploy/.');
});

/** The CRD of applications, and a namespace whose service account may do everything in it or nothing. */
async function setServer(t: TestContext, isAllowed: boolean, isDefined = true) {
  const server = createApiServer({ authorizesImpersonated: true });
  const listening = await server.listen();
  const client = httpClient(listening.url);
  t.after(async () => {
    await client.close();
    await listening.close();
  });
  const { store } = server;
  const definition: unknown = parse(
    readFileSync(new URL('../../deploy/components/observer-named/crd.yaml', import.meta.url), 'utf8'),
  );
  const define = () => void made(store.create(customResourceDefinitions, objectOf(definition)));
  if (isDefined) define();
  made(store.create(namespaces, { metadata: { name: namespace } }));
  if (isAllowed) made(store.create(roleBindings, tenant));
  const path = applicationsPath(namespace);
  return {
    server,
    client,
    path,
    define,
    url: listening.url,
    async apply(spec: JsonObject) {
      const body = { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata: { name: 'shop' }, spec };
      const answer = await client.send('POST', path, { body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    },
  };
}

/** The same with the program. */
async function setScene(t: TestContext, isAllowed: boolean, which?: 'weeder without definition') {
  const { server, client, path, define, url, apply } = await setServer(t, isAllowed, which === undefined);
  const { store } = server;
  let application: JsonObject | undefined;
  const look = async () => {
    const answer = await client.send('GET', `${path}/shop`);
    application = answer.status === 200 ? objectOf(answer.body) : undefined;
  };
  const looking = setInterval(() => void look().catch(() => undefined), 50);
  t.after(() => clearInterval(looking));
  const db = { podSelectors: [{ matchLabels: labels }] };
  const config = { observer: {}, ...(which === undefined ? {} : { servicesAndDependantSelectors: { db } }) };
  const words = ['--config-file', file(`observer-${isAllowed}.yaml`, JSON.stringify(config))];
  const health = `127.0.0.1:${await freePort()}`;
  const access = ['--kubeconfig', file(`observer-${isAllowed}.kubeconfig`, kubeconfig(url))];
  const weeder = startCli([...words, ...access, `--health-bind-addr=${health}`, '--metrics-bind-addr=0']);
  t.after(async () => {
    weeder.child.kill('SIGTERM');
    await weeder.ended;
  });
  const deploymentNow = () => store.get(deployments, namespace, 'web');
  return {
    server,
    define,
    health,
    log: () => weeder.stdout(),
    application: () => application,
    deployment: deploymentNow,
    image() {
      const template = objectOf(objectOf(deploymentNow()?.['spec'])['template']);
      return objectOf(arrayOf(objectOf(template['spec'])['containers'])[0])['image'];
    },
    condition(type: string) {
      const conditions = arrayOf(objectOf(application?.['status'])['conditions']).map(objectOf);
      return conditions.find((each) => each['type'] === type)?.['status'];
    },
    /** The number of its resources in sync. */
    inSync() {
      const rows = arrayOf(objectOf(application?.['status'])['resources']).map(objectOf);
      return rows.filter(({ state }) => state === 'InSync').length;
    },
    apply,
    async update(spec: JsonObject) {
      const headers = { body: { spec }, contentType: 'application/merge-patch+json' };
      assert.equal((await client.send('PATCH', `${path}/shop`, headers)).status, 200);
    },
    remove: () => client.send('DELETE', `${path}/shop`),
  };
}

const tenant = {
  metadata: { name: 'tenant', namespace },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
};
