import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { KubeObject } from '@weeder/embedded-cluster';
import { endpointSlices, events, namespaces, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import type { ObjectView } from '@weeder/live-page';
import { file, oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { type Embedded, embedded, made } from '../support/world/embedded.ts';

const declared = file('declared.yaml', 'declaredDependencies: { onStart: never }');
const crashing = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } };

/** A service with pods that declare it, and a pod that does not. */
function scene({ server: { store } }: Embedded) {
  const slice = (isReady: boolean) => ({
    metadata: { name: 'db', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: isReady } }],
  });
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  made(store.create(endpointSlices, slice(true)));
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x:1' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  const { metadata: owner } = made(store.create(replicaSets, { metadata: { name: 'web', namespace: 'shop' }, spec }));
  return {
    ready: (isReady: boolean) => made(store.patch(endpointSlices, 'shop', 'db', slice(isReady))),
    pod(name: string, labels: Readonly<Record<string, string>>, isBare = false) {
      const { name: ownerName, uid } = owner;
      const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: ownerName, uid, controller: true };
      const metadata = { name, namespace: 'shop', labels, ownerReferences: isBare ? [] : [controller] };
      made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
      const lastState = { terminated: { exitCode: 3, reason: 'Error', finishedAt: new Date().toISOString() } };
      const containerStatuses = [{ name: 'main', restartCount: 6, state: crashing, lastState }];
      const body = { status: { phase: 'Running', containerStatuses } };
      made(store.patch(pods, 'shop', name, body, { subresource: 'status' }));
    },
    names: () => store.list(pods, { namespace: 'shop' }).map(({ metadata }) => metadata.name),
  };
}

/** Waits until the answer matches, and returns it. */
async function eventually(answer: () => Promise<string>, expected: RegExp): Promise<string> {
  const deadline = performance.now() + 180_000;
  for (let last = await answer(); ; last = await answer()) {
    if (expected.test(last)) return last;
    assert.ok(performance.now() < deadline, `still: ${last}`);
    await setTimeout(20);
  }
}

const depends = { 'weeder.dev/depends-on': 'db' };

const isDeletion = (event: KubeObject) => event['reason'] === 'PodDeleted';

test('explain pod and the live page of a running weeder give the same answer', async (t) => {
  await using cluster = await embedded();
  const at = scene(cluster);
  at.pod('web-0', depends);
  at.pod('bare', depends, true);
  at.pod('other', {});
  const access = `--kubeconfig=${cluster.kubeconfig}`;
  const answer = async (name: string, ...flags: string[]) => {
    const { code, stdout } = await sharedCli(['explain', 'pod', name, '-n', 'shop', access, ...flags]);
    assert.equal(code, 0);
    return /^Pod shop\/[^:]+: (.*)\n/.exec(stdout)?.[1];
  };
  assert.match((await answer('web-0')) ?? '', /^Deleted only while a window is open: service db is ready/);
  assert.match(
    (await answer('other')) ?? '',
    /^Not deleted: no dependant .* has this name\. No podSelector of the config selects the pod/,
  );
  const skipped = await answer('bare', '--config-file', declared);

  const off = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
  const weeder = startCli(['--config-file', declared, access, '--ui-bind-addr=:0', ...off]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
  const page = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
  const answerOfPage = async (name: string) => {
    const view: ObjectView = JSON.parse(await (await fetch(`${page}object?type=pod&id=shop/${name}`)).text());
    return view.words;
  };
  await eventually(() => answerOfPage('web-0'), /no window is open/);
  assert.equal(await answerOfPage('bare'), 'Skipped: it has no controller that would recreate it (barePods: keep).');
  assert.equal(skipped, await answerOfPage('bare'));
  at.ready(false);
  await eventually(() => answerOfPage('web-0'), /has been down/);
  at.ready(true);
  await until('the pod is deleted', () => !at.names().includes('web-0'));
  const deleted = await eventually(() => answerOfPage('web-0'), /^Deleted at/);
  assert.match(deleted, /^Deleted at \S+Z, because service db recovered: container main .* exit code 3 \(Error\)\.$/);
  await until('its Event is written', () => cluster.server.store.list(events, { namespace: 'shop' }).some(isDeletion));
  // The Event and the page take the time one after the other, and a second may begin in between.
  const withoutTime = (text = '') => text.replace(/ at \S+Z/, '');
  assert.equal(withoutTime(await answer('web-0')), withoutTime(deleted));
});

test('explain pod says which config it assumes, and fails for a pod that does not exist', async () => {
  await using cluster = await embedded();
  scene(cluster).pod('web-0', depends);
  const command = ['explain', 'pod', '-n', 'shop', `--kubeconfig=${cluster.kubeconfig}`];
  const { stderr } = await sharedCli([...command, 'web-0']);
  const counts = 'only what pods declare counts, as with the config "declaredDependencies: {}"';
  assert.equal(stderr, `weeder: without --config-file, ${counts}.\n`);
  assert.equal((await sharedCli([...command, 'web-0', '--config-file', declared])).stderr, '');
  const missing = oneSentence(await sharedCli([...command, 'web-9']), 1);
  assert.match(missing, /^There is no pod web-9 in the namespace shop\./);
});
