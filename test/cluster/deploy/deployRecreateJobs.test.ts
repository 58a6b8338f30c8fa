import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { eventually, testNamespace } from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { createAll, one, rulesOf, startDeployed } from '../support/deploy/deployed.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { startRemoteKubelet } from '../support/plane/remoteKubelet.ts';
import { specOf } from '../support/restart/workloadOptions.ts';

const verbs = ['get', 'create', 'delete'] as const;
type Verb = (typeof verbs)[number];

/** Renders restart control with the component `recreate-jobs`, without one of its verbs. */
async function deployedWithout(namespace: string, verb?: Verb): Promise<Manifest[]> {
  const components = ['no-weeding', 'restart-control', 'recreate-jobs'];
  const objects = await customised('single', { namespace, components });
  return objects.map((object): Manifest => {
    if (object.kind === 'ClusterRoleBinding')
      return { ...object, metadata: { name: namespace }, roleRef: { ...Object(object['roleRef']), name: namespace } };
    if (object.kind !== 'ClusterRole') return object;
    const rules = rulesOf(object).map((rule) =>
      rule.resources.join() === 'jobs' ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } : rule,
    );
    return { ...object, metadata: { name: namespace }, rules };
  });
}

/** Creates a running Job, starts a weeder with these permissions, and changes the source of the adopted Job. */
async function changedJob(t: TestContext, verb?: Verb) {
  const ns = await testNamespace(t, 'jobs');
  const home = await testNamespace(t, 'home', ns.cluster);
  await startRemoteKubelet(t, { cluster: ns.cluster, namespace: ns.name });
  await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), { metadata: { name: 'once' }, data: { word: '1' } });
  const spec = specOf('Job', 'once', ns, {});
  await ns.cluster.api('POST', ns.path('apis/batch/v1', 'jobs'), { metadata: { name: 'once' }, spec });
  const objects = await deployedWithout(home.name, verb);
  const restartControl = { quietPeriod: '0s', minInterval: '0s', rules: [{}], jobs: 'recreate' };
  const configMap = one(objects, 'ConfigMap');
  const data = { 'weeder.yaml': JSON.stringify({ restartControl }) };
  const deployed = objects.map((object) => (object === configMap ? { ...object, data } : object));
  await createAll(t, ns.cluster, deployed);
  const expects = { errorLines: /no hash key/ };
  const weeder = await startDeployed(t, home, deployed, { expects, flags: [`--namespaces=${ns.name}`] });
  await weeder.log.until('workload adopted, nothing restarts');
  await eventually(
    async () => JSON.stringify(await ns.cluster.api('GET', ns.path('api/v1', 'pods'))).includes('"ready":true'),
    {
      what: 'a ready pod of the Job',
    },
  );
  const path = ns.path('api/v1', 'configmaps', 'once');
  await ns.cluster.api('PATCH', path, { data: { word: '2' } });
  return weeder;
}

suite('the permissions of jobs: recreate', { concurrency: 2 }, () => {
  test('the permissions suffice to recreate a Job', async (t) => {
    const weeder = await changedJob(t);
    await weeder.log.until('Job recreated');
    await weeder.log.until('workload rolled out: its pods have the new content');
    assert.deepEqual(denials(weeder), []);
  });

  for (const verb of verbs) {
    test(`weeder needs ${verb} jobs: without it, the log names the rule to grant, and nothing is deleted`, async (t) => {
      const weeder = await changedJob(t, verb);
      await eventually(() => denials(weeder).includes(`${verb} batch/jobs`), { what: `a line that names ${verb}` });
      assert.deepEqual(new Set(denials(weeder)), new Set([`${verb} batch/jobs`]));
      assert.deepEqual(weeder.log.find('Job recreated'), []);
    });
  }
});
