import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { failure, isPodReady, type LoggedRequest, startKubelet, startWorkloads } from '@weeder/embedded-cluster';
import { configMaps, deployments, namespaces, pods, secrets } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { systemClock } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { createRestartController } from '../../src/restart/restartController.ts';
import { file, sharedCli } from '../support/cli.ts';
import { embedded, made, startEmbeddedWeeder } from '../support/world/embedded.ts';
import { stateOn } from '../support/world/restartWorld.ts';

const namespace = 'shop';
const restarts = (more: object = {}) =>
  JSON.stringify({
    restartControl: { rules: [{ namespaces: [namespace], quietPeriod: '0s', ...more }], hashKey: { namespace } },
  });

let configs = 0;
function configFile(text: string): string {
  configs += 1;
  return file(`restarts-${configs}.yaml`, text);
}

/** A cluster with a running Deployment `web` that uses key `a` of ConfigMap `settings` and all of Secret `login`. */
async function cluster(t: TestContext) {
  const api = await embedded();
  const { store } = api.server;
  const parts = [
    startWorkloads(store, systemClock),
    startKubelet({ store, clock: systemClock, version: '1.36', seed: 1 }),
  ];
  t.after(async () => {
    for (const stop of parts) stop();
    await api[Symbol.asyncDispose]();
  });
  made(store.create(namespaces, { metadata: { name: namespace } }));
  made(store.create(configMaps, { metadata: { name: 'settings', namespace }, data: { a: '1', b: '1' } }));
  made(store.create(secrets, { metadata: { name: 'login', namespace }, stringData: { password: 'hunter2' } }));
  // Creation times have whole seconds, and the margin is one more second: a pod created later than that is newer.
  const writtenAt = Date.now();
  await until('its pods are newer than the write', () => Date.now() > writtenAt + 2_000);
  deploy('web', [{ configMapRef: { name: 'optional', optional: true } }, { secretRef: { name: 'login' } }]);
  await until('the pod is ready', () => store.list(pods, { namespace }).some(isPodReady));

  function deploy(name: string, envFrom: readonly JsonObject[], annotations: JsonObject = {}): void {
    const labels = { app: name };
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }];
    const spec = { containers: [{ name: 'main', image: 'x:1', env, envFrom }] };
    const template = { metadata: { labels }, spec };
    made(
      store.create(deployments, {
        metadata: { name, namespace, annotations },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      }),
    );
  }

  /** One weeder process adopts everything, and ends. */
  async function adopt(): Promise<void> {
    await using _weeder = startEmbeddedWeeder(api, restarts(), {
      createOther: (context) => createRestartController({ ...context, ownNamespace: namespace }),
    });
    await until('it is adopted', () => stateOn(store.get(deployments, namespace, 'web') ?? {}) !== undefined);
  }

  async function explain(config = restarts(), ...flags: string[]): Promise<string[]> {
    const before = new Set(api.server.requests.latest);
    const words = ['explain', `--config-file=${configFile(config)}`, `--kubeconfig=${api.kubeconfig}`, ...flags];
    const { code, stdout, stderr } = await sharedCli(words);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(writes(before), [], 'it writes nothing');
    assert.doesNotMatch(stdout, /hunter/);
    return stdout.trimEnd().split('\n');
  }

  /** The requests since then, without those of the cluster's controllers, which use the store. */
  function since(before: ReadonlySet<LoggedRequest>): readonly LoggedRequest[] {
    return api.server.requests.latest.filter((request) => !before.has(request));
  }

  function writes(before: ReadonlySet<LoggedRequest>): readonly LoggedRequest[] {
    return since(before).filter(({ verb }) => !['get', 'list', 'other'].includes(verb));
  }

  return { api, store, deploy, adopt, explain, since };
}

suite('weeder explain of restart control', { concurrency: true }, () => {
  test('explain lists the sources of a workload that is not yet adopted, and reports that nothing restarts', async (t) => {
    const { explain } = await cluster(t);
    assert.deepEqual(await explain(), [
      'Deployment shop/web: To be adopted: the tags of its sources are recorded, and nothing restarts',
      '  ← ConfigMap settings#a (env)',
      '  ← ConfigMap optional (envFrom, absent)',
      '  ← Secret login (envFrom)',
    ]);
  });

  test('explain names the workloads with annotations of other tools, managed or not, with the line to write', async (t) => {
    const { explain, deploy } = await cluster(t);
    const annotations = { 'secret.reloader.stakater.com/reload': 'login' };
    deploy('api', [], annotations);
    deploy('done', [], { ...annotations, 'weeder.dev/restart-on-change': 'false' });
    const section = [
      'annotations of Reloader or wave, which weeder does not read:',
      '  Deployment shop/api: secret.reloader.stakater.com/reload  → weeder.dev/restart-on-change: "true" on the Deployment',
    ];
    assert.deepEqual((await explain()).slice(-2), section);
    assert.deepEqual(
      (await explain(JSON.stringify({ restartControl: { hashKey: { namespace } } }))).slice(-2),
      section,
    );
  });

  test('explain reports as unknown whether the pods have a write between their creation and the adoption', async (t) => {
    const { explain, store } = await cluster(t);
    made(store.patch(configMaps, namespace, 'settings', { data: { a: '2' } }));
    const [pod] = store.list(pods, { namespace });
    const of = `pods that may be older than ConfigMap settings: ${pod?.metadata.name}`;
    assert.equal((await explain()).at(-1), `  unknown: ${of}`);
  });

  test('explain shows current and changed sources, why the restart is pending, and the last restart with its cause', async (t) => {
    const { explain, store, adopt, api } = await cluster(t);
    await adopt();
    assert.equal((await explain())[0], 'Deployment shop/web: Current');
    const [pod] = store.list(pods, { namespace });
    made(store.patch(configMaps, namespace, 'settings', { data: { b: '2' } }));
    assert.equal((await explain())[0], 'Deployment shop/web: Current', 'a key that it does not use');
    made(store.patch(configMaps, namespace, 'settings', { data: { a: '2' } }));
    const [head] = await explain();
    assert.equal(head, 'Deployment shop/web: Changed: ConfigMap settings (key a)  → would be restarted');
    const maintenanceWindows = [{ cron: '0 0 1 1 *', timeZone: 'UTC', duration: '1m0s' }];
    assert.match(
      (await explain(restarts({ maintenanceWindows })))[0] ?? '',
      /→ Restart pending: no maintenance window is open, the next opens at \d{4}-01-01T00:00:00Z/,
    );
    await using weeder = startEmbeddedWeeder(api, restarts(), {
      createOther: (context) => createRestartController({ ...context, ownNamespace: namespace }),
    });
    await until('it is rolled out', () => weeder.logged.some((line) => line.startsWith('workload rolled out')));
    const after = await explain();
    assert.equal(after[0], 'Deployment shop/web: Current');
    assert.match(after.find((line) => line.includes('last restart')) ?? '', /T.*Z for ConfigMap settings \(a\)$/);
    assert.ok(!after.join('\n').includes(pod?.metadata.name ?? 'none'));
  });

  test('explain shows a blocked restart with its reason, and an opt-out with its effect; a lost hash key is not a change', async (t) => {
    const { explain, store, adopt, deploy } = await cluster(t);
    await adopt();
    deploy('lost', [{ configMapRef: { name: 'missing' } }], { 'weeder.dev/restart-on-change': 'yes' });
    const annotations = { 'weeder.dev/skip-hash-calculation': 'true' };
    made(store.patch(secrets, namespace, 'login', { metadata: { annotations } }));
    const lines = await explain();
    assert.ok(lines.includes('Deployment shop/lost: Blocked: ConfigMap shop/missing is missing'), lines.join('\n'));
    const helped = await explain(restarts({ lateSources: 'evict' }));
    assert.ok(
      helped.includes(
        'Deployment shop/lost: Blocked: ConfigMap shop/missing is missing; its pods that wait for that in a volume are evicted when it exists (lateSources)',
      ),
      helped.join('\n'),
    );
    assert.ok(lines.some((line) => line.startsWith('  annotation that cannot be read: its value is "yes"')));
    assert.ok(lines.includes('  ← Secret login (envFrom, left out by its annotation)'));
    store.delete(secrets, namespace, 'weeder-hash-key');
    const hint = /^some states were not made with the key in the Secret shop\/weeder-hash-key: .*POD_NAMESPACE$/;
    assert.ok(!lines.some((line) => hint.test(line)));
    const without = await explain();
    assert.match(without[0] ?? '', hint);
    assert.ok(
      without.includes(
        'Deployment shop/web: It is unknown whether it has changed: its state was made with another hash key',
      ),
    );
  });

  test('explain sends only the requests that the sections need, and reports that no workload is managed', async (t) => {
    const { explain, api, since } = await cluster(t);
    const now = () => new Set(api.server.requests.latest);
    const before = now();
    assert.deepEqual(await explain(restarts({ kinds: ['DaemonSet'] })), [
      'restart control manages no workload that is watched',
    ]);
    const ofWeeder = '/api/v1/namespaces/weeder/pods?';
    const others = since(before).filter(({ url }) => !url.startsWith(ofWeeder));
    assert.ok(!others.some(({ url }) => /endpointslices|pods|login|settings/.test(url)));
    const then = now();
    await explain('servicesAndDependantSelectors:\n  db:\n    podSelectors:\n      - matchLabels: {app: web}\n');
    assert.ok(!since(then).some(({ url }) => /configmaps|secrets|deployments/.test(url)));
    assert.match((await explain(restarts({}), '--namespace=default'))[0] ?? '', /^restart control manages no/);
  });

  test('explain reports a refused list beside the results of the other lists, and exits with code 1', async (t) => {
    const { api } = await cluster(t);
    api.server.setFaults(({ url }) =>
      url.includes('/configmaps') ? { refuse: failure(403, 'Forbidden', 'no') } : undefined,
    );
    const words = ['explain', `--config-file=${configFile(restarts())}`, `--kubeconfig=${api.kubeconfig}`];
    const { code, stdout, stderr } = await sharedCli(words);
    assert.equal(code, 1);
    assert.match(stderr, /^weeder: The output does not include configmaps: http:\S+ refused \(403\): no\.\n$/);
    assert.match(stdout, /^Deployment /m);
  });
});
