/**
 * A tenant writes objects whose texts Kubernetes does not limit, before the start of weeder and while it runs: it stays
 * within the memory that the manifests grant, and helps the dependants and workloads of others.
 */

import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { answerWith, isInitialWatch, statusBody } from '@weeder/kube-runtime/testing';
import { createWebhook } from '../cluster/support/admissionWebhook.ts';
import { eventually, podsOf, testNamespace, type WeederProcess } from '../cluster/support/cluster.ts';
import { installCrd } from '../cluster/support/observer/applicationCrd.ts';
import { createOwner, owner, untilRefused } from '../cluster/support/outage/refusedOwners.ts';
import { definitionOf, reconcileCloneSet, startController } from '../cluster/support/restart/otherKinds.ts';
import { setRestartScene } from '../cluster/support/restart/restartScene.ts';
import { specOf } from '../cluster/support/restart/workloadOptions.ts';
import { isDelete } from './support/faults.ts';
import {
  assertSmall,
  createEvents,
  createPods,
  createSlices,
  longMessage,
  nested,
  nodeOptions,
} from './support/hostileTexts.ts';
import { remoteControl } from './support/remoteControl.ts';
import { type PreparedScenario, prepareScenario } from './support/scenario.ts';

/**
 * Three times, the service becomes ready and goes down. Returns how long it took each time until weeder had requested
 * the deletion of all dependants that crash-looped, in milliseconds.
 */
async function recoveries({ scene, server }: PreparedScenario, weeder: WeederProcess, prefix: string) {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const names = [0, 1, 2].map((number) => `${prefix}-${round}-${number}`);
    const pods = await Promise.all(names.map((name) => scene.pod(name)));
    const readyAt = performance.now();
    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    const deletions = server.requests.filter(
      (each) => isDelete(each) && names.some((name) => each.path.endsWith(name)),
    );
    times.push(Math.round(Math.max(...deletions.map(({ at }) => at)) - readyAt));
    await scene.down(weeder);
  }
  return times;
}

const environment = (env: Readonly<Record<string, string>>) => ({ ...env, NODE_OPTIONS: nodeOptions });

async function deletesForOthers(t: TestContext, areListsStreamed: boolean) {
  const scenario = await prepareScenario(t, 'texts', 'h2');
  const { scene, remote, server, started } = scenario;
  if (!areListsStreamed)
    server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'there is no WatchList')), isInitialWatch);
  const declared = { declaredDependencies: { watchDuration: '5m' }, podCreation: { watchDuration: '5m' } };
  const options = { config: { ...scene.config, ...declared }, env: environment(remote.env) };
  const before = await started(options);
  const usual = await recoveries(scenario, before, 'before');
  await before.stop();

  const tenant = await testNamespace(t, 'tenant');
  await createPods(tenant, 20);
  await createEvents(tenant, 20, longMessage);
  await createSlices(tenant, 20);
  const weeder = await started(options);
  const other = await testNamespace(t, 'tenant');
  const writing = Promise.all([createEvents(other, 20, longMessage), createSlices(other, 12)]);
  const hostile = await recoveries(scenario, weeder, 'after');
  await writing;
  t.diagnostic(`from ready to deleted: ${usual.join(', ')} ms before, ${hostile.join(', ')} ms with hostile texts`);
  // What the machine does meanwhile takes its time, too: this fails if weeder is held up for long.
  assert.ok(Math.min(...hostile) < 100 * Math.max(...usual), 'the dependants of others are deleted as before');

  const asked = () =>
    new Set(server.requests.flatMap(({ path }) => (path.startsWith(tenant.path('api/v1', 'pods', '')) ? path : [])));
  await eventually(() => asked().size === 10, { what: 'ten pods of a slice are read' });
  assert.ok([...asked()].every((path) => path.includes('/asked-')));
  assert.equal(
    server.requests.find(({ path }) => decodeURIComponent(path).includes('gone')),
    undefined,
  );
  t.diagnostic(`${assertSmall(weeder)} MiB at most`);
}

suite('texts that Kubernetes does not limit', () => {
  for (const areListsStreamed of [true, false])
    test(`weeder stays within its memory and deletes the dependants of others, with lists in ${areListsStreamed ? 'streams' : 'pages'}`, (t) =>
      deletesForOthers(t, areListsStreamed));

  test('forged Events of a namespace do not delay the retry of an object in another', async (t) => {
    const { scene, remote, server, started } = await prepareScenario(t, 'forged', 'h2');
    const [home, tenant] = await Promise.all([testNamespace(t, 'creation'), testNamespace(t, 'tenant')]);
    const webhook = await createWebhook(home);
    const config = { ...scene.config, podCreation: { watchDuration: '5m' } };
    const weeder = await started({ config, env: environment(remote.env) });
    await weeder.log.until('webhooks that admit pods changed');
    await createEvents(tenant, 1_500, `failed calling webhook "${webhook.name}": connection refused`);
    await createOwner(home, owner('ReplicaSet', 'apis/apps/v1'));
    await untilRefused(home, ['replicaset']);
    const { length } = server.requests;
    const readyAt = performance.now();
    await webhook.recover();
    await podsOf(home, { app: 'replicaset' }, 1);
    const requests = server.requests.slice(length);
    const retry = requests.findIndex(({ method, path }) => method === 'PATCH' && path.includes(`/${home.name}/`));
    const forged = requests.slice(0, retry).filter(({ path }) => path.includes(`/${tenant.name}/`)).length;
    const time = Math.round((requests[retry]?.at ?? Number.NaN) - readyAt);
    t.diagnostic(`${forged} forged objects were read before the retry, ${time} ms after the webhook was ready`);
    assert.ok(retry >= 0, 'weeder has retried the object, and not only its controller');
    assert.ok(forged <= 10, `${forged} objects were read first`);
    t.diagnostic(`${assertSmall(weeder)} MiB at most`);
  });

  test('a workload whose template has 4,000 levels does not stop the restarts of others of its kind', async (t) => {
    const scene = await setRestartScene(t, 'nested');
    const { ns } = scene;
    const group = `${ns.name}.example.com`;
    await installCrd(ns.cluster, definitionOf(group, 'v1', 'Server'));
    const path = ns.path(`apis/${group}/v1`, 'servers');
    const create = (name: string, spec: object) =>
      ns.cluster.api('POST', path, { apiVersion: `${group}/v1`, kind: 'Server', metadata: { name }, spec });
    await scene.put('web', { word: 'one' });
    const spec = specOf('Deployment', 'web', ns);
    await create('hostile', { ...spec, replicas: 0, template: { ...Object(spec['template']), nested: nested(4_000) } });
    await create('web', spec);
    startController(t, ns, path, reconcileCloneSet);
    const config = scene.config({ workloadKinds: [{ kind: `Server.${group}` }] });
    const weeder = await scene.start(t, { config, env: environment(remoteControl().env) });
    const workload = `server.${group}/web`;
    await podsOf(ns, { workload: 'web' }, 2);
    await weeder.log.until('workload adopted, nothing restarts', { workload });
    await scene.put('web', { word: 'two' });
    await weeder.log.until('workload rolled out: its pods have the new content', { workload });
    t.diagnostic(`${assertSmall(weeder)} MiB at most`);
  });
});
