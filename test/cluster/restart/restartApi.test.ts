import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { systemClock } from '@weeder/kube-runtime/base';
import { createKubeClient, type KubeClient } from '@weeder/kube-runtime/client';
import { readHashKeys } from '../../../src/restart/digest/hashKeys.ts';
import { restartApi } from '../../../src/restart/requests/restartApi.ts';
import { restartRequests } from '../../support/objects/restartRequests.ts';
import {
  type Cluster,
  createBudget,
  createReplicaSet,
  deleteBudget,
  eventually,
  getPod,
  grant,
  running,
  setPodStatus,
  sharedControlPlane,
  testNamespace,
} from '../support/cluster.ts';

const signal = new AbortController().signal;
const clients: KubeClient[] = [];
after(() => Promise.all(clients.map((client) => client.close())));

function clientOf(cluster: Cluster, user: string): KubeClient {
  const access = loadKubeConfig({ kubeconfig: cluster.kubeconfigFor(user) }, {});
  if (!access.ok) throw new Error(access.error.message);
  const client = createKubeClient({ userAgent: 'weeder/test', access: access.value, clock: systemClock });
  clients.push(client);
  return client;
}

suite('restart control’s requests to a real API server', { concurrency: true }, () => {
  restartRequests(async () => {
    const cluster = await sharedControlPlane();
    return { target: cluster, client: clientOf(cluster, 'admin') };
  });

  test('a disruption budget refuses the eviction with its own failure, and admits it once the budget is deleted', async (t) => {
    const ns = await testNamespace(t, 'evict-budget');
    const labels = { app: 'web' };
    const [pod] = await createReplicaSet(ns, 'web', { labels, onNode: true });
    assert(pod);
    await setPodStatus(ns, pod.metadata.name, running());
    assert.equal(await createBudget(ns, 'web', { labels, minAvailable: 1 }), 0);
    const api = restartApi(clientOf(ns.cluster, 'admin'));
    const { name, uid } = pod.metadata;
    const evict = async () => {
      const resourceVersion = (await getPod(ns, name))?.metadata.resourceVersion ?? '';
      return api.evict({ namespace: ns.name, name, uid, resourceVersion }, signal);
    };
    const refused = await evict();
    assert.equal(refused.type === 'refused' && refused.failure, 'budget', JSON.stringify(refused));
    assert.equal((await getPod(ns, name))?.metadata.uid, uid);
    await deleteBudget(ns, 'web');
    await eventually(async () => (await evict()).type === 'ok', { what: 'an eviction that is accepted' });
    await eventually(async () => (await getPod(ns, name)) === undefined, { what: 'the deletion of the pod' });
  });

  test('a forbidden request is refused with the rule that grants it, and without any value of a Secret', async (t) => {
    const ns = await testNamespace(t, 'forbidden');
    const api = restartApi(clientOf(ns.cluster, ns.cluster.takeUser()));
    const web = { kind: 'Deployment', namespace: ns.name, name: 'web' } as const;
    const rule = (group: string, resource: string, verb: string) =>
      `Grant it in a Role in namespace ${ns.name}: {apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]}.`;
    const requests = [
      [await api.readSource({ ...web, kind: 'Secret' }, signal), rule('', 'secrets', 'get')],
      [await api.readSource({ ...web, kind: 'ConfigMap' }, signal), rule('', 'configmaps', 'get')],
      [await api.readWorkload(web, signal), rule('apps', 'deployments', 'get')],
      [await api.patchWorkload(web, {}, signal), rule('apps', 'deployments', 'patch')],
      [await api.listPods(ns.name, { matchLabels: { a: 'b' } }, signal), rule('', 'pods', 'list')],
      [await api.evict({ ...web, uid: 'u', resourceVersion: '1' }, signal), rule('', 'pods/eviction', 'create')],
    ] as const;
    for (const [answer, granted] of requests) {
      assert(answer.type === 'refused' && answer.failure === 'forbidden', JSON.stringify(answer));
      assert(answer.reason.endsWith(granted), `${answer.reason} does not end with ${granted}`);
    }
  });

  test('the hash key needs get, create and update on its own Secret, and nothing else', async (t) => {
    const ns = await testNamespace(t, 'key-rights');
    const user = ns.cluster.takeUser();
    const client = clientOf(ns.cluster, user);
    const where = { namespace: ns.name, name: 'weeder-hash-key' };
    const denied = async (verb: string) => {
      const keys = await readHashKeys(client, where, signal);
      const sentence = keys.ok ? 'no problem' : keys.error.message;
      assert.match(sentence, new RegExp(`resources: \\["secrets"\\], verbs: \\["${verb}"\\]`));
    };
    const secrets = { apiGroups: [''], resources: ['secrets'] };
    const own = { ...secrets, resourceNames: [where.name] };
    await denied('get');
    await grant(ns.cluster, user, [{ ...own, verbs: ['get'] }], { namespace: ns.name });
    await denied('create');
    await grant(ns.cluster, user, [{ ...secrets, verbs: ['create'] }], { namespace: ns.name });
    const newKeys = await readHashKeys(client, where, signal);
    assert(newKeys.ok, JSON.stringify(newKeys));
    const path = ns.path('api/v1', 'secrets', where.name);
    await ns.cluster.api('PATCH', path, { data: null });
    await denied('update');
    await grant(ns.cluster, user, [{ ...own, verbs: ['update'] }], { namespace: ns.name });
    const filled = await readHashKeys(client, where, signal);
    assert(filled.ok && filled.value.current.id !== newKeys.value.current.id);
  });

  test('two processes that create the key at once have the same one', async (t) => {
    const ns = await testNamespace(t, 'key-race');
    const replicas = await Promise.all([replica(t, ns.cluster, ns.name), replica(t, ns.cluster, ns.name)]);
    const ids = await Promise.all(replicas.map((begin) => begin()));
    assert.match(String(ids[0]), /^[\w-]{8}$/);
    assert.equal(ids[1], ids[0]);
  });
});

/** Starts a process that reads the key on a signal, and returns its ID. */
async function replica(
  t: TestContext,
  cluster: Cluster,
  namespace: string,
): Promise<() => Promise<string | undefined>> {
  const script = fileURLToPath(new URL('../support/restart/readHashKey.ts', import.meta.url));
  const args = [script, cluster.kubeconfigFor('admin'), namespace, 'weeder-hash-key'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await eventually(() => output.includes('ready'), { what: 'the line ready' });
  return async () => {
    child.stdin.write('go\n');
    await ended;
    return output.split('\n')[1];
  };
}
