import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronJobs, daemonSets, jobs } from '../../src/apiserver/strategies/resources.ts';
import { objectOf } from '../../src/base/json.ts';
import { demoWorkload } from '../support/workload.ts';

const complete = {
  currentNumberScheduled: 1,
  numberMisscheduled: 0,
  desiredNumberScheduled: 1,
  numberReady: 1,
  updatedNumberScheduled: 1,
  numberAvailable: 1,
};

test('a DaemonSet runs one pod on the only node, and its status reports it', async (t) => {
  const web = await demoWorkload(t, daemonSets);
  assert.deepEqual(web.releases(), ['1']);
  const [pod] = web.pods();
  assert.equal(objectOf(pod?.['spec'])['nodeName'], 'node-1');
  assert.match(pod?.metadata.labels?.['controller-revision-hash'] ?? '', /^[a-z0-9]{10}$/);
  assert.deepEqual(web.status(), { ...complete, observedGeneration: 1 });
});

test('a new template replaces the pod: the old one is deleted first, unless a surge is allowed', async (t) => {
  for (const maxSurge of [0, 1]) {
    const maxUnavailable = 1 - maxSurge;
    const web = await demoWorkload(t, daemonSets, { updateStrategy: { rollingUpdate: { maxSurge, maxUnavailable } } });
    web.release('2');
    let max = 0;
    let isEverDown = false;
    for (let step = 0; step < 100; step += 1) {
      await web.clock.pass(50);
      max = Math.max(max, web.pods().length);
      isEverDown ||= web.status()['numberReady'] === 0;
    }
    assert.deepEqual([max, isEverDown], [1 + maxSurge, maxSurge === 0]);
    assert.deepEqual(web.releases(), ['2']);
    assert.deepEqual(web.status(), { ...complete, observedGeneration: 2 });
  }
});

test('OnDelete replaces the pod only after it is deleted', async (t) => {
  const web = await demoWorkload(t, daemonSets, { updateStrategy: { type: 'OnDelete' } });
  web.release('2');
  await web.clock.pass(10_000);
  assert.deepEqual(web.releases(), ['1']);
  assert.equal(web.status()['updatedNumberScheduled'], undefined);
  web.remove(web.pods()[0]?.metadata.name ?? '');
  await web.clock.pass(10_000);
  assert.deepEqual(web.releases(), ['2']);
  assert.equal(web.status()['updatedNumberScheduled'], 1);
});

test('a Job has its pod while it runs and none while it is suspended, and counts the pods that succeeded', async (t) => {
  const template = { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x:1' }] } };
  const job = await demoWorkload(t, jobs, { selector: undefined, template });
  const { startTime, ...counts } = job.status();
  assert.deepEqual([typeof startTime, counts], ['string', { active: 1, ready: 1 }]);
  assert.equal(job.pods()[0]?.metadata.labels?.['job-name'], 'web');
  job.patch({ spec: { suspend: true } });
  await job.clock.pass(5_000);
  assert.deepEqual([job.pods(), job.status()], [[], {}]);
});

test('a CronJob is stored but creates no Jobs', async (t) => {
  const template = { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x:1' }] } };
  const spec = { selector: undefined, template: undefined, schedule: '* * * * *', jobTemplate: { spec: { template } } };
  const cron = await demoWorkload(t, cronJobs, spec);
  await cron.clock.pass(120_000);
  assert.deepEqual([cron.pods(), cron.store.list(jobs)], [[], []]);
});
