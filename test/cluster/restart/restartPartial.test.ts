import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { freePort } from '../../support/api/freePort.ts';
import { eventually, grant, type Rule } from '../support/cluster.ts';
import { type RestartScene, setRestartScene } from '../support/restart/restartScene.ts';
import type { WeederProcess } from '../support/weeder.ts';

const readAlways = ['get', 'list', 'watch'];
const workloadRules: readonly Rule[] = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: [...readAlways, 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];
const batch: Rule = { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: [...readAlways, 'patch'] };
const configMaps: Rule = { apiGroups: [''], resources: ['configmaps'], verbs: readAlways };
const secrets: Rule = { apiGroups: [''], resources: ['secrets'], verbs: [...readAlways, 'create', 'update'] };
const everything: readonly Rule[] = [...workloadRules, batch, configMaps, secrets];

/** Creates two namespaces, each with a workload and its ConfigMap. `readyz` requests `/readyz` of a weeder. */
async function twoNamespaces(t: TestContext, section: object = {}) {
  const scenes = [await setRestartScene(t, 'served'), await setRestartScene(t, 'refused')] as const;
  const [served, refused] = scenes;
  const { cluster } = served.ns;
  const user = cluster.takeUser();
  for (const scene of scenes) {
    await scene.put('web', { word: 'one' });
    await scene.make('Deployment', 'web', { spec: { replicas: 1 } });
  }
  const port = await freePort();
  const names = scenes.map(({ ns }) => ns.name);
  const start = () =>
    served.begin(t, {
      user,
      config: served.config(section),
      flags: [`--namespaces=${names}`, `--health-bind-addr=127.0.0.1:${port}`],
    });
  async function readyz(): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
    return { status: answer.status, text: await answer.text() };
  }
  return { served, refused, cluster, user, start, readyz };
}

async function restartsOnChange(scene: RestartScene, rollouts: number, word: string): Promise<void> {
  await scene.untilAdopted('Deployment', 'web');
  await scene.put('web', { word });
  await scene.untilDone('Deployment', 'web', rollouts);
}

async function untilRefused(weeder: WeederProcess, stream: string): Promise<void> {
  await weeder.log.until('stream lost', { stream });
}

suite('an unreadable namespace or kind delays only what depends on it', {
  concurrency: true,
}, () => {
  test('without Roles in one of two namespaces the other one is managed, and the first one once it has its Roles', async (t) => {
    const { served, refused, cluster, user, start, readyz } = await twoNamespaces(t);
    await grant(cluster, user, everything, { namespace: served.ns.name });
    const weeder = start();
    await untilRefused(weeder, `deployments in ${refused.ns.name}`);
    await restartsOnChange(served, 1, 'two');
    const { status, text } = await eventually(
      async (saw) => {
        const answer = await readyz();
        saw(answer);
        return answer.status === 200 && answer;
      },
      { what: 'ready' },
    );
    assert.equal(status, 200);
    assert.match(text, new RegExp(`^\\[\\+\\]stream/deployments in ${refused.ns.name} ok: refused, `, 'm'));
    assert.equal(await refused.state('Deployment', 'web'), undefined);
    // A change before the namespace could be read is adopted.
    await refused.put('web', { word: 'before' });
    await grant(cluster, user, everything, { namespace: refused.ns.name });
    await refused.untilAdopted('Deployment', 'web');
    assert.equal(await refused.rollouts('Deployment', 'web'), 0);
    await restartsOnChange(refused, 1, 'after');
  });

  test('without permission for Secrets in one namespace only the workloads that use one there wait', async (t) => {
    const { served, refused, cluster, user, start } = await twoNamespaces(t);
    await refused.put('login', { word: 'one' }, 'Secret');
    const uses = { envFrom: [{ secretRef: { name: 'login' } }] };
    await refused.make('Deployment', 'login', { spec: { replicas: 1 }, uses });
    await grant(cluster, user, everything, { namespace: served.ns.name });
    await grant(cluster, user, [...workloadRules, batch, configMaps], { namespace: refused.ns.name });
    const weeder = start();
    await untilRefused(weeder, `secrets in ${refused.ns.name}`);
    await restartsOnChange(served, 1, 'two');
    await restartsOnChange(refused, 1, 'two');
    assert.equal(await refused.state('Deployment', 'login'), undefined);
    await grant(cluster, user, [secrets], { namespace: refused.ns.name });
    await refused.untilAdopted('Deployment', 'login');
    assert.equal(await refused.rollouts('Deployment', 'login'), 0);
  });

  test('without permission for Jobs, and with rules for Deployments only, Deployments restart and weeder is ready', async (t) => {
    const { served, refused, cluster, user, start, readyz } = await twoNamespaces(t, {
      rules: [{ kinds: ['Deployment'] }],
    });
    for (const { ns } of [served, refused])
      await grant(cluster, user, [...workloadRules, configMaps, secrets], { namespace: ns.name });
    const weeder = start();
    await untilRefused(weeder, `jobs in ${served.ns.name}`);
    await restartsOnChange(served, 1, 'two');
    await restartsOnChange(refused, 1, 'two');
    await eventually(async () => (await readyz()).status === 200, { what: 'ready' });
  });

  test('a namespace deleted with its Roles before weeder starts affects no other one', async (t) => {
    const { served, refused, cluster, user, start, readyz } = await twoNamespaces(t);
    for (const { ns } of [served, refused]) await grant(cluster, user, everything, { namespace: ns.name });
    const first = start();
    await restartsOnChange(served, 1, 'two');
    await first.stop();
    await cluster.api('DELETE', `/api/v1/namespaces/${refused.ns.name}`);
    await eventually(async () => (await cluster.send('GET', `/api/v1/namespaces/${refused.ns.name}`)).status === 404, {
      what: `the deletion of ${refused.ns.name}`,
    });
    const second = start();
    await untilRefused(second, `deployments in ${refused.ns.name}`);
    await restartsOnChange(served, 2, 'three');
    await eventually(async () => (await readyz()).status === 200, { what: 'ready' });
  });
});
