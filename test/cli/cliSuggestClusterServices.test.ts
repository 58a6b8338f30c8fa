import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { deployments, namespaces, pods, replicaSets, services } from '@weeder/embedded-cluster/resources';
import { denialOf } from '@weeder/kube-runtime/client';
import { listen } from '@weeder/kube-runtime/testing';
import { file, oneSentence, sharedCli } from '../support/cli.ts';
import { type Embedded, embedded, kubeconfigFor, made } from '../support/world/embedded.ts';

const timeout =
  'postgres://admin:hunter2@db: lookup db on 10.96.0.10:53: read udp 10.1.1.1:4->10.96.0.10:53: i/o timeout';
const webhook =
  'failed calling webhook "a.b": Post "https://policy.guard.svc:443/x?token=hunter2": no endpoints available for service "policy"';

/** Two Services, and two Deployments with a crash-looping pod each: the message of `web` names one of them. */
function scene({ server: { store } }: Embedded): void {
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  made(store.create(namespaces, { metadata: { name: 'guard' } }));
  const service = (namespace: string, name: string, port: number, address: string) =>
    made(
      store.create(services, {
        metadata: { namespace, name },
        spec: { clusterIP: address, selector: { app: name }, ports: [{ port }] },
      }),
    );
  service('kube-system', 'kube-dns', 53, '10.96.0.10');
  service('guard', 'policy', 443, '10.96.3.4');
  for (const [name, message] of [
    ['web', timeout],
    ['worker', 'bye'],
  ] as const) {
    const labels = { app: name };
    const containers = [{ name: 'main', image: 'x:1' }];
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    const owner = (
      kind: string,
      { metadata }: { readonly metadata: { readonly name: string; readonly uid: string } },
    ) => [{ apiVersion: 'apps/v1', kind, name: metadata.name, uid: metadata.uid, controller: true }];
    const deployment = made(store.create(deployments, { metadata: { name, namespace: 'shop' }, spec }));
    const metadata = { namespace: 'shop', labels };
    const ownerReferences = owner('Deployment', deployment);
    const set = made(
      store.create(replicaSets, { metadata: { ...metadata, name: `${name}-5c9`, ownerReferences }, spec }),
    );
    const ofSet = owner('ReplicaSet', set);
    made(
      store.create(pods, {
        metadata: { ...metadata, name: `${name}-5c9-x`, ownerReferences: ofSet },
        spec: { containers },
      }),
    );
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    const lastState = { terminated: { exitCode: 1, reason: 'Error', message } };
    const status = { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 6, state, lastState }] };
    made(store.patch(pods, 'shop', `${name}-5c9-x`, { status }, { subresource: 'status' }));
  }
}

const noControllers = { kind: 'ReplicationControllerList', metadata: { resourceVersion: '1' }, items: [] };

/**
 * Serves the cluster with this log of each pod, or, without one, refuses to serve logs; returns a kubeconfig and the paths of the
 * requested logs.
 */
async function withLogs(t: TestContext, { server }: Embedded, log?: string) {
  const requested: string[] = [];
  const front = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://cluster');
    // The embedded API server does not have this kind.
    if (pathname.endsWith('/replicationcontrollers')) return respond(response, 200, noControllers);
    if (!pathname.endsWith('/log')) return server.handle(request, response);
    requested.push(pathname);
    if (log !== undefined) return response.end(log);
    const message = `pods "worker-5c9-x" is forbidden: User "dev" ${denialOf('get', 'pods/log', 'shop')}`;
    return respond(response, 403, { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message });
  });
  const port = await listen(front);
  t.after(() => front.close().closeAllConnections());
  return { requested, kubeconfig: file(`${port}.kubeconfig`, kubeconfigFor(`http://127.0.0.1:${port}`)) };
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const lineOfWeb =
  /^high +deployment\/shop\/web +kube-system\/kube-dns +suggested +last message of container main: 10\.96\.0\.10:53: i\/o timeout, the DNS server failed$/m;

test('cluster services are suggested by the last message of a pod, or else by its log', async (t) => {
  await using cluster = await embedded();
  scene(cluster);
  const { requested, kubeconfig } = await withLogs(t, cluster, `starting\n${webhook}\n`);
  const suggest = (...flags: string[]) => sharedCli(['suggest', `--kubeconfig=${kubeconfig}`, ...flags]);
  assert.equal((await suggest()).stdout, 'no dependencies were found\n');
  assert.deepEqual(requested, []);

  const { code, stdout, stderr } = await suggest('--cluster-services', '--namespace=shop');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, lineOfWeb);
  assert.match(
    stdout,
    /^high +deployment\/shop\/worker +guard\/policy +suggested +log of container main: webhook "a\.b": https:\/\/policy\.guard\.svc:443: no endpoints available for service, the webhook failed$/m,
  );
  assert.doesNotMatch(stdout, /hunter2/);
  assert.deepEqual(requested, ['/api/v1/namespaces/shop/pods/worker-5c9-x/log']);

  const { stdout: labels } = await suggest('--cluster-services', '-o', 'labels');
  assert.match(
    labels,
    /^kubectl patch deployment web -n shop .*\{"weeder\.dev\/depends-on":"kube-dns\.kube-system"\}/m,
  );
  const metadata = { labels: { 'weeder.dev/depends-on': 'kube-dns.kube-system' } };
  made(cluster.server.store.patch(deployments, 'shop', 'web', { spec: { template: { metadata } } }));
  const declared = await suggest('--cluster-services', '-o', 'labels');
  assert.doesNotMatch(declared.stdout, /kube-dns/);
  assert.match(declared.stdout, /^kubectl patch deployment worker /m);
});

test('without permission to read logs, one sentence has the rule, and the messages are searched', async (t) => {
  await using cluster = await embedded();
  scene(cluster);
  const { kubeconfig } = await withLogs(t, cluster);
  const { code, stdout, stderr } = await sharedCli(['suggest', '--cluster-services', `--kubeconfig=${kubeconfig}`]);
  assert.equal(code, 1);
  assert.match(stdout, lineOfWeb);
  assert.match(
    stderr,
    /^weeder: The output does not include pods\/log in shop: .*Grant it in a Role in namespace shop: \{apiGroups: \[""\], resources: \["pods\/log"\], verbs: \["get"\]\}\.\n$/,
  );
});

test('--cluster-services needs a cluster', async () => {
  for (const other of [
    ['-f', 'x.yaml'],
    ['--recording', 'x.jsonl'],
  ])
    assert.match(
      oneSentence(await sharedCli(['suggest', '--cluster-services', ...other]), 2),
      /^The flag --cluster-services reads a cluster: leave out -f and --recording\. See/,
    );
});
