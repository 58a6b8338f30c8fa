import assert from 'node:assert/strict';
import { type JsonObject, objectOf } from '../../src/base/json.ts';
import { body, meta, type NamespaceTest, refused } from '../target.ts';

const contentType = 'application/merge-patch+json';

/** Deployments, StatefulSets, DaemonSets, Jobs and CronJobs as they are stored, before a controller changes them. */
export function testWorkloads(test: NamespaceTest): void {
  test('workloads get the defaults of their kind', async (at) => {
    const spec = async (plural: string) => objectOf((await at.create(plural, workload(plural)))['spec']);
    const deployment = await spec('deployments');
    assert.deepEqual(deployment['strategy'], {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
    });
    assert.deepEqual([deployment['revisionHistoryLimit'], deployment['progressDeadlineSeconds']], [10, 600]);
    const stateful = await spec('statefulsets');
    assert.deepEqual(stateful['updateStrategy'], { type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
    assert.equal(stateful['podManagementPolicy'], 'OrderedReady');
    const rolling = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } };
    assert.deepEqual((await spec('daemonsets'))['updateStrategy'], rolling);
    const cron = await spec('cronjobs');
    assert.deepEqual([cron['concurrencyPolicy'], cron['suspend']], ['Allow', false]);
    const template = objectOf(objectOf(objectOf(cron['jobTemplate'])['spec'])['template']);
    assert.equal(objectOf(template['spec'])['dnsPolicy'], 'ClusterFirst');
  });

  test('a Job selects its pods by its own uid', async (at) => {
    const job = await at.create('jobs', workload('jobs'));
    const { uid } = meta(job);
    const { selector, template, completions } = objectOf(job['spec']);
    assert.equal(completions, 1);
    assert.deepEqual(objectOf(selector)['matchLabels'], { 'batch.kubernetes.io/controller-uid': uid });
    const labels = objectOf(meta(template)['labels']);
    assert.deepEqual([labels['batch.kubernetes.io/controller-uid'], labels['job-name']], [uid, 'web']);
  });

  for (const plural of ['deployments', 'statefulsets', 'daemonsets', 'cronjobs']) {
    test(`the generation of ${plural} increases with the spec${plural === 'deployments' ? ' and the annotations' : ''}`, async (at) => {
      await at.create(plural, workload(plural));
      const path = at.path(plural, 'web');
      const grown = async (change: JsonObject, name = 'web') => {
        const before = Number(meta(body(await at.send('GET', path), 200))['generation']);
        return Number(meta(await at.patch(plural, name, change))['generation']) - before;
      };
      assert.equal(await grown({ metadata: { labels: { x: '1' } } }), 0);
      assert.equal(await grown({ metadata: { annotations: { x: '1' } } }), plural === 'deployments' ? 1 : 0);
      assert.equal(await grown(templateChange(plural)), 1);
      assert.equal(await grown(templateChange(plural)), 0);
      assert.equal(await grown({ metadata: { annotations: { noted: '1' } } }, 'web/status'), 0);
      assert.equal(await grown({ metadata: { annotations: { x: '2' } }, ...templateChange(plural, '2') }), 1);
    });
  }

  test('a workload whose selector does not match its template is refused, and a selector is immutable', async (at) => {
    for (const plural of ['deployments', 'statefulsets', 'daemonsets']) {
      const wrong = { ...workload(plural), spec: { ...objectOf(workload(plural)['spec']), selector: other } };
      refused(await at.post(plural, wrong), 422, 'Invalid');
      await at.create(plural, workload(plural));
      const options = { body: { spec: { selector: other } }, contentType };
      refused(await at.send('PATCH', at.path(plural, 'web'), options), 422, 'Invalid');
    }
  });

  test("only some fields of a StatefulSet's spec can be changed", async (at) => {
    await at.create('statefulsets', workload('statefulsets'));
    const options = { body: { spec: { serviceName: 'other' } }, contentType };
    const status = refused(await at.send('PATCH', at.path('statefulsets', 'web'), options), 422, 'Invalid');
    assert.match(
      String(status['message']),
      /^StatefulSet.apps "web" is invalid: spec: Forbidden: updates to statefulset/,
    );
    await at.patch('statefulsets', 'web', { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } });
  });

  test('unknown strategies are refused', async (at) => {
    for (const [plural, field] of [
      ['deployments', 'strategy'],
      ['statefulsets', 'updateStrategy'],
      ['daemonsets', 'updateStrategy'],
    ] as const) {
      const spec = { ...objectOf(workload(plural)['spec']), [field]: { type: 'Invented' } };
      refused(await at.post(plural, { ...workload(plural), spec }), 422, 'Invalid');
    }
  });

  test("a Job's template is immutable and needs a restartPolicy", async (at) => {
    await at.create('jobs', workload('jobs'));
    const options = { body: templateChange('jobs'), contentType };
    const status = refused(await at.send('PATCH', at.path('jobs', 'web'), options), 422, 'Invalid');
    assert.match(
      String(status['message']),
      /^Job.batch "web" is invalid: spec.template: Invalid value: .*field is immutable/,
    );
    assert.deepEqual(meta(await at.patch('jobs', 'web', { metadata: { annotations: { x: '1' } } }))['generation'], 1);
    const silent = { metadata: { name: 'other' }, spec: { template: { spec: { containers } } } };
    const missing = refused(await at.post('jobs', silent), 422, 'Invalid');
    assert.equal(
      missing['message'],
      'Job.batch "other" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    );
  });

  test('a CronJob needs a schedule', async (at) => {
    const { jobTemplate } = objectOf(workload('cronjobs')['spec']);
    const refusal = await at.post('cronjobs', { metadata: { name: 'a' }, spec: { jobTemplate } });
    assert.equal(
      refused(refusal, 422, 'Invalid')['message'],
      'CronJob.batch "a" is invalid: spec.schedule: Required value',
    );
  });

  test('a template whose last annotation was removed equals one that had none', async (at) => {
    const daemonSet = await at.create('daemonsets', workload('daemonsets'));
    await at.patch('daemonsets', 'web', templateChange('daemonsets'));
    const none = await at.patch('daemonsets', 'web', templateChange('daemonsets', null));
    assert.deepEqual(objectOf(none['spec'])['template'], objectOf(daemonSet['spec'])['template']);
  });
}

const containers = [{ name: 'main', image: 'registry.invalid/none:1' }];
const labels = { app: 'web' };
const other = { matchLabels: { app: 'other' } };

/** A workload of the kind without pods. */
function workload(plural: string): JsonObject {
  const metadata = { name: 'web' };
  const template = { metadata: { labels }, spec: { containers, nodeSelector: { none: 'such' } } };
  const job = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  if (plural === 'jobs') return { metadata, spec: { template: job } };
  if (plural === 'cronjobs') {
    return { metadata, spec: { schedule: '0 0 1 1 *', suspend: false, jobTemplate: { spec: { template: job } } } };
  }
  const replicas = plural === 'daemonsets' ? {} : { replicas: 0 };
  return { metadata, spec: { ...replicas, selector: { matchLabels: labels }, template } };
}

function templateChange(plural: string, x: string | null = '1'): JsonObject {
  const template = { metadata: { annotations: { x } } };
  return plural === 'cronjobs' ? { spec: { jobTemplate: { spec: { template } } } } : { spec: { template } };
}
