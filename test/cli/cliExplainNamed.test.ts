import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configMaps,
  deployments,
  endpointSlices,
  events,
  namespaces,
  pods,
  replicaSets,
  services,
} from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { parse } from 'yaml';
import { shapes } from '../../src/cli/data/shapes.ts';
import { forbidding } from '../support/api/forbidding.ts';
import { file, kubeconfig, oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { type Embedded, embedded, made } from '../support/world/embedded.ts';

const off = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
const both = 'declaredDependencies: { onStart: never }\nrestartControl: { quietPeriod: 1s }\n';
const labels = { app: 'web' };

/** A service with a crash-looping dependant, and a Deployment that uses a ConfigMap. */
function scene({ server: { store } }: Embedded) {
  const slice = (isReady: boolean) => ({
    metadata: { name: 'db', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: isReady } }],
  });
  const settings = (mode: string) => ({ metadata: { name: 'settings', namespace: 'shop' }, data: { mode } });
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  made(store.create(services, { metadata: { name: 'db', namespace: 'shop' }, spec: { ports: [{ port: 1 }] } }));
  made(store.create(services, { metadata: { name: 'alone', namespace: 'shop' }, spec: { ports: [{ port: 1 }] } }));
  made(store.create(endpointSlices, slice(true)));
  made(store.create(configMaps, settings('old')));
  const envFrom = [{ configMapRef: { name: 'settings' } }];
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x:1', envFrom }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  const { metadata: owner } = made(store.create(replicaSets, { metadata: { name: 'rs', namespace: 'shop' }, spec }));
  for (const [name, annotations] of Object.entries({
    web: { 'weeder.dev/restart-on-change': 'true' },
    plain: { 'reloader.stakater.com/auto': 'true' },
  }))
    made(store.create(deployments, { metadata: { name, namespace: 'shop', annotations }, spec }));
  const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: owner.uid, controller: true };
  for (const name of ['web-0', 'web-1']) {
    const ownerReferences = [controller];
    const metadata = { name, namespace: 'shop', labels: { 'weeder.dev/depends-on': 'db' }, ownerReferences };
    made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
  }
  const state = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } };
  const containerStatuses = [{ name: 'main', restartCount: 6, state }];
  const body = { status: { phase: 'Running', containerStatuses } };
  made(store.patch(pods, 'shop', 'web-0', body, { subresource: 'status' }));
  return {
    ready: (isReady: boolean) => made(store.patch(endpointSlices, 'shop', 'db', slice(isReady))),
    change: () => made(store.patch(configMaps, 'shop', 'settings', settings('new'))),
    hasEvent: (reason: string) => store.list(events, { namespace: 'shop' }).some((each) => each['reason'] === reason),
    configure(text: string) {
      made(store.create(namespaces, { metadata: { name: 'weeder' } }));
      const data = { 'weeder.yaml': text };
      made(store.create(configMaps, { metadata: { name: 'weeder', namespace: 'weeder' }, data }));
    },
  };
}

const asking =
  ({ kubeconfig }: Embedded) =>
  (...words: string[]) =>
    sharedCli(['explain', ...words, '-n', 'shop', `--kubeconfig=${kubeconfig}`]);

test('explain service says whether it is watched, is down or in a window, and who waits for it', async (t) => {
  await using cluster = await embedded();
  const at = scene(cluster);
  const ask = asking(cluster);
  const { stdout, code } = await ask('service', 'db');
  assert.equal(code, 0);
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'Service shop/db: Ready; 1 dependant crash-loops, and weeder deletes them only while a window is open.',
    '  settings: window 5m0s, whileNotReady hold, deletion delete (from the section declaredDependencies of the config)',
    '    declared: 2 pods, 1 crash-looping',
    '      shop/web-0  container main, restarts 6, back-off 5m0s  → would be deleted in a window',
  ]);
  at.ready(false);
  assert.match((await ask('service', 'db')).stdout, /: Down; 1 dependant crash-loops, and a window opens when it rec/);
  assert.match((await ask('service', 'alone')).stdout, /^Service shop\/alone: Not watched: no entry of the config/);
  assert.match(oneSentence(await ask('service', 'nosuch'), 1), /^There is no service nosuch in the namespace shop\./);
  at.ready(true);

  const config = file('both.yaml', both);
  const weeder = startCli(['--config-file', config, `--kubeconfig=${cluster.kubeconfig}`, ...off]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
  at.ready(false);
  await until('weeder sees the outage', () => weeder.stdout().includes('service is down'));
  at.ready(true);
  await until('the Event is written', () => at.hasEvent('WindowOpened'));
  const opened = (await ask('service', 'db', '--config-file', config)).stdout;
  assert.match(opened, /^Service shop\/db: Window open, since \S+Z; no dependant crash-loops\.\n/);
  assert.match(opened, /\n {2}Event \S+Z WindowOpened: Recovered: for 5m0s, dependants in crash-loop back-off are del/);
});

test('explain workload says why it is, is not, or was restarted', async (t) => {
  await using cluster = await embedded();
  const at = scene(cluster);
  const ask = asking(cluster);
  const managed = await ask('workload', 'web');
  assert.match(managed.stdout, /^Deployment shop\/web: To be adopted: the tags of its sources are recorded/);
  assert.match(
    managed.stderr,
    /only annotations decide which workloads are managed, as with the config "restartControl/,
  );
  const plain = (await ask('workload', 'deploy/plain')).stdout;
  assert.match(
    plain,
    /^Deployment shop\/plain: Not managed, so it is never restarted: no rule of restartControl matches/,
  );
  assert.match(
    plain,
    /\n {2}weeder does not read reloader.stakater.com\/auto {2}→ weeder.dev\/restart-on-change: "true"/,
  );
  assert.match(oneSentence(await ask('workload', 'web-9'), 1), /^There is no workload web-9 in the namespace shop\./);
  assert.match(oneSentence(await ask('workload', 'pods/web'), 2), /its kind is one of Deployment, StatefulSet, /);

  const config = file('both.yaml', both);
  const weeder = startCli(['--config-file', config, `--kubeconfig=${cluster.kubeconfig}`, ...off]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('it is adopted', () => weeder.stdout().includes('workload adopted'));
  at.change();
  await until('its Event is written', () => at.hasEvent('RestartPending'));
  const { stdout } = await ask('workload', 'web', '--config-file', config);
  const why = 'a rollout of another client is in progress';
  assert.match(stdout, new RegExp(`^Deployment shop/web: Changed: ConfigMap settings.* → Restart pending: ${why}`));
  assert.match(stdout, /\n {2}← ConfigMap settings \(envFrom\)\n/);
  assert.match(stdout, new RegExp(`\n  Event \\S+Z RestartPending: The restart is pending: ${why}`));
});

test('explain writes the answer about an object as data, with what the text says', async () => {
  await using cluster = await embedded();
  scene(cluster);
  const ask = asking(cluster);
  const asData = async (...words: string[]) => {
    const { code, stdout, stderr } = await ask(...words, '-ojson');
    assert.deepEqual([code, stderr], [0, '']);
    const explained = shapes.ObjectExplanation.parse(JSON.parse(stdout));
    assert.deepEqual(parse((await ask(...words, '-o', 'yaml')).stdout), explained);
    const { items, remarks } = explained;
    const text = await ask(...words);
    const heads = items.map(({ kind, namespace, name, answer }) => `${kind} ${namespace}/${name}: ${answer}`);
    assert.deepEqual(
      text.stdout.split('\n').filter((line) => /^\w/.test(line)),
      heads,
    );
    assert.equal(text.stderr, remarks.map((remark) => `weeder: ${remark}.\n`).join(''));
    return items;
  };
  const namespace = 'shop';
  const verdict = 'would be deleted in a window';
  const [pod] = await asData('pod', 'web-0');
  assert.partialDeepStrictEqual(pod, { services: [{ namespace, name: 'db', state: 'ready', verdict }], events: [] });
  const [service] = await asData('service', 'db');
  const crashLooping = [{ namespace, name: 'web-0', container: 'main', restarts: 6, verdict }];
  assert.partialDeepStrictEqual(service, { dependants: [{ selector: 'declared', pods: 2, crashLooping }] });
  const [workload] = await asData('workload', 'web');
  assert.deepEqual(workload?.details, ['← ConfigMap settings (envFrom)']);
  assert.equal((await asData('workload', 'deploy/plain'))[0]?.details?.length, 1);
});

test('explain does not say that an object is missing that may not be read', async (t) => {
  const access = `--kubeconfig=${file('forbidden.kubeconfig', kubeconfig(await forbidding(t)))}`;
  for (const [what, plural] of [
    ['pod', 'pods'],
    ['service', 'services'],
    ['workload', 'Deployment'],
  ] as const) {
    const refused = oneSentence(await sharedCli(['explain', what, 'web', '-n', 'shop', access]), 1);
    assert.match(refused, new RegExp(`^Cannot read ${plural} in shop: \\S+ refused \\(403\\): `));
  }
});

test('explain says if the weeder of the cluster does not act in the namespace, by its flags', async () => {
  await using cluster = await embedded();
  scene(cluster);
  const ask = asking(cluster);
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: 'weeder' } }));
  const first = async (...words: string[]) => (await ask(...words)).stdout.split('\n')[0];
  const run = (name: string, ...args: string[]) => {
    const metadata = { name, namespace: 'weeder', labels: { 'app.kubernetes.io/name': 'weeder' } };
    const containers = [{ name: 'weeder', image: 'x:1', args: ['run', '--config-file=/c/weeder.yaml', ...args] }];
    made(store.create(pods, { metadata, spec: { containers } }));
    return () => made(store.delete(pods, 'weeder', name));
  };
  const config = file('selected.yaml', 'declaredDependencies: {}\n');
  const elsewhere = (where: string) =>
    `weeder does not act in the namespace shop: by its flags it acts in ${where}. If it did:`;
  for (const [args, where] of [
    [['--except-namespaces=kube-system,shop'], 'all namespaces, except kube-system, shop'],
    [['--namespace-selector', 'team=web'], 'namespaces with team=web'],
    [['--namespaces', 'a', '--namespaces=b'], 'namespaces a, b'],
  ] as const) {
    const end = run('other', ...args);
    for (const words of [
      ['service', 'db'],
      ['pod', 'web-0'],
      ['workload', 'deployments/web'],
    ])
      assert.equal(await first(...words), elsewhere(where));
    assert.match(
      (await ask('-c', config)).stdout,
      new RegExp(`the weeder of the cluster acts only in ${where}, by its flags`),
    );
    end();
  }
  for (const args of [[], ['--except-namespaces=kube-system'], ['--namespaces=shop']]) {
    const end = run('own', ...args);
    assert.doesNotMatch((await first('service', 'db')) ?? '', /does not act/, args.join());
    end();
  }
  const labelled = { metadata: { labels: { team: 'web' } } };
  made(store.patch(namespaces, '', 'shop', labelled));
  run('by-label', '--namespace-selector=team=web');
  assert.doesNotMatch((await first('service', 'db')) ?? '', /does not act/);
});

test('without --config-file the config is that of the ConfigMap of the weeder in the cluster', async () => {
  await using cluster = await embedded();
  const at = scene(cluster);
  at.configure('servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: { app: web } }] } }');
  const ask = asking(cluster);
  const { stdout, stderr } = await ask('service', 'db');
  assert.match(
    stdout,
    /^Service shop\/db: Ready; no dependant crash-loops\.\n.* \(from the entry db in servicesAndDependantSelectors of the/,
  );
  assert.equal(stderr, 'weeder: without --config-file, the config is that of the ConfigMap weeder/weeder.\n');
  const workload = await ask('workload', 'web');
  assert.match(workload.stdout, /Not managed, so it is never restarted: the config has no section restartControl\./);
});
