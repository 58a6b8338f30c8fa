import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import type { Cleanup } from '../support/cleanup.ts';
import { eventually, grant, patchPodStatus, type Rule, remainsTrue } from '../support/cluster.ts';
import type { KubeObject } from '../support/objects.ts';
import { type PassingRequest, startRequestProxy } from '../support/plane/requestProxy.ts';
import { type JobScene, jobSceneOf } from '../support/restart/jobScene.ts';
import { setRestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';

const recreate = { jobs: 'recreate' };
const deleteOptions = { apiVersion: 'v1', kind: 'DeleteOptions' };
const optIn = 'weeder.dev/restart-on-change';

/** Returns the fields of a Job that its user has written. */
function writtenIn({ metadata, ...job }: KubeObject): unknown {
  const { selector: _, template, ...spec } = objectOf(job['spec']);
  const { labels, ...meta } = objectOf(objectOf(template)['metadata']);
  const own = Object.entries(objectOf(labels)).filter(([name]) => !/(controller-uid|job-name)$/.test(name));
  const { 'weeder.dev/dependencies': _state, ...annotations } = metadata.annotations ?? {};
  const templateOfIt = { ...objectOf(template), metadata: { ...meta, labels: Object.fromEntries(own) } };
  const { labels: jobLabels = {}, ownerReferences } = metadata;
  const isUsers = ([name]: readonly [string, string]) => !/(controller-uid|job-name)$/.test(name);
  return {
    labels: Object.fromEntries(Object.entries(jobLabels).filter(isUsers)),
    annotations,
    ownerReferences,
    spec: { ...spec, template: templateOfIt },
  };
}

function isFor(method: string, path: RegExp) {
  return (request: PassingRequest) => request.method === method && path.test(request.path);
}

const deletesJob = (name: string) => (request: PassingRequest) =>
  isFor('DELETE', new RegExp(`/jobs/${name}(\\?|$)`))(request) && !request.body.includes('dryRun');
const createsCopy = (request: PassingRequest) =>
  isFor('POST', /\/jobs(\?|$)/)(request) && request.body.includes('"name":"weeder-recreates-');
const createsJob = (request: PassingRequest) => isFor('POST', /\/jobs(\?|$)/)(request) && !createsCopy(request);

suite('Jobs that are recreated', { concurrency: 4 }, () => {
  const suiteScene = suiteRestartScene('jobs', { section: recreate });
  const given = () => ({ ...suiteScene(), scene: jobSceneOf(suiteScene().scene) });

  test('a Job with old content is deleted and recreated with its own spec, once, and its pods run one after the other', async () => {
    const { scene, weeder } = given();
    await scene.put('once', { word: 'one' });
    const spec = { backoffLimit: 3, ttlSecondsAfterFinished: 3_600, completions: 2, parallelism: 1 };
    const options = { labels: { team: 'blue' }, annotations: { 'example.com/note': 'ours' }, spec };
    await scene.make('Job', 'once', options);
    await scene.untilAdopted('Job', 'once');
    const [pod] = await eventually(async () => (await scene.pods('once')).length === 1 && scene.pods('once'), {
      what: 'the pod of the Job',
    });
    const before = await scene.job('once');
    assert(before && pod);
    await eventually(async () => (await scene.pods('once'))[0]?.status.phase === 'Running', { what: 'a running pod' });
    await scene.put('once', { word: 'two' });
    const after = await scene.untilRecreated('once', before.metadata.uid);
    assert.deepEqual(writtenIn(after), writtenIn(before));
    const pods = await eventually(async () => (await scene.pods('once')).length === 1 && scene.pods('once'), {
      what: 'the pod of the new Job',
    });
    assert.equal(pods[0]?.metadata.ownerReferences?.[0]?.uid, after.metadata.uid);
    const ofJob = { workload: 'job/once' };
    await weeder.log.until('workload rolled out: its pods have the new content', ofJob);
    assert.equal(weeder.log.find('workload restarted: it is recreated', ofJob).length, 1);
    assert.equal(weeder.log.find('Job recreated', ofJob).length, 1);
    assert.equal((await scene.state('Job', 'once'))?.restarts.length, 1);
    // The new Job is restarted by the next change too, and has the restart history of the earlier one.
    // Waits for the container, because one that starts after the change has the new content and needs no restart.
    await eventually(async () => (await scene.pods('once'))[0]?.status.phase === 'Running', {
      what: 'a running pod of the new Job',
    });
    await scene.put('once', { word: 'three' });
    await scene.untilRecreated('once', after.metadata.uid);
    assert.equal((await scene.state('Job', 'once'))?.restarts.length, 2);
  });

  test('a Job whose pods were all created after the change, or that has none, is not recreated', async () => {
    const { scene, weeder } = given();
    await scene.put('asleep', { word: 'one' });
    await scene.make('Job', 'asleep', { spec: { suspend: true }, isAwaited: false });
    await scene.untilAdopted('Job', 'asleep');
    const uid = (await scene.job('asleep'))?.metadata.uid;
    await scene.put('asleep', { word: 'two' });
    await weeder.log.until(/^no restart needed/, { workload: 'job/asleep' });
    assert.equal((await scene.job('asleep'))?.metadata.uid, uid);
  });

  test('a Job that has ended is never run again', async () => {
    const { scene, weeder } = given();
    const uid = await scene.adopt('ended');
    const [pod] = await scene.pods('ended');
    const state = { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-21T10:00:00Z' } };
    const container = { name: 'main', image: '', imageID: '', restartCount: 0, ready: false, state };
    await patchPodStatus(scene.ns, pod?.metadata.name ?? '', { phase: 'Succeeded', containerStatuses: [container] });
    await eventually(async () => (await scene.summary('Job', 'ended')).job?.isOver, { what: 'the Job is complete' });
    await scene.put('ended', { word: 'two' });
    const line = await weeder.log.until('restart blocked', { workload: 'job/ended' });
    assert.match(String(line['reason']), /has ended, and is not run again/);
    assert.equal((await scene.job('ended'))?.metadata.uid, uid);
  });

  test('a Job of a CronJob is never recreated: the CronJob creates the next one', async () => {
    const { scene, weeder } = given();
    await scene.put('nightly', { word: 'one' });
    await scene.make('CronJob', 'nightly', { annotations: { [optIn]: 'false' } });
    const path = scene.ns.path('apis/batch/v1', 'cronjobs', 'nightly');
    const { metadata } = objectOf(await scene.ns.cluster.api('GET', path));
    await scene.put('nightly-1', { word: 'one' });
    await scene.make('Job', 'nightly-1', { isAwaited: false, annotations: { [optIn]: 'false' } });
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: objectOf(metadata)['uid'], controller: true },
    ];
    const metadataOfRun = { ownerReferences, annotations: { [optIn]: null } };
    assert.equal((await scene.patch('Job', 'nightly-1', { metadata: metadataOfRun })).status, 200);
    await weeder.log.until('workload adopted, nothing restarts', { workload: 'job/nightly-1' });
    const uid = (await scene.job('nightly-1'))?.metadata.uid;
    await scene.put('nightly-1', { word: 'two' });
    const line = await weeder.log.until('restart blocked', { workload: 'job/nightly-1' });
    assert.match(String(line['reason']), /belongs to CronJob nightly/);
    assert.equal((await scene.job('nightly-1'))?.metadata.uid, uid);
    assert.equal(await scene.state('Job', 'nightly-1'), undefined, 'weeder wrote a state on the Job');
  });
});

/** Creates a scene whose weeder sends its requests through a proxy. */
async function proxied(t: Cleanup, prefix: string, onRequest: (request: PassingRequest, scene: JobScene) => unknown) {
  const scene = jobSceneOf(await setRestartScene(t, prefix));
  const proxy = await startRequestProxy(t, scene.ns.cluster, (request) => onRequest(request, scene));
  const start = () => scene.start(t, { kubeconfig: proxy.kubeconfig, config: scene.config(recreate) });
  return { scene, proxy, start };
}

/** Matches only the first such request. */
function once(matches: (request: PassingRequest) => boolean) {
  let hasMatched = false;
  return (request: PassingRequest) => {
    if (hasMatched || !matches(request)) return false;
    hasMatched = true;
    return true;
  };
}

suite('Jobs that are recreated under failures', { concurrency: 4 }, () => {
  for (const [what, matches] of [
    ['the creation of the copy', createsCopy],
    ['the deletion', deletesJob('once')],
    ['the creation', createsJob],
  ] as const) {
    test(`the answer to ${what} is lost: the Job is recreated, once`, async (t) => {
      const isLost = once(matches);
      const { scene, start } = await proxied(t, 'lost', (request) => (isLost(request) ? 'loseAnswer' : undefined));
      await start();
      const uid = await scene.adopt('once');
      await scene.put('once', { word: 'two' });
      const after = await scene.untilRecreated('once', uid);
      assert.equal((await scene.state('Job', 'once'))?.restarts.length, 1);
      await remainsTrue(async () => (await scene.job('once'))?.metadata.uid === after.metadata.uid, {
        what: 'the new Job',
        for: 2_000,
      });
    });
  }

  for (const [when, matches] of [
    ['after the copy was created, before the deletion', deletesJob('once')],
    ['after the deletion, before the Job is recreated', createsJob],
  ] as const) {
    test(`weeder is killed ${when}: the next process completes it, and the Job is recreated once`, async (t) => {
      const reached = Promise.withResolvers<void>();
      const isFirst = once(matches);
      const { scene, start } = await proxied(t, 'killed', async (request) => {
        if (!isFirst(request)) return undefined;
        reached.resolve();
        return new Promise(() => undefined);
      });
      const first = await start();
      const uid = await scene.adopt('once');
      await scene.put('once', { word: 'two' });
      await reached.promise;
      await first.kill();
      assert.equal((await scene.copies()).length, 1);
      await start();
      const after = await scene.untilRecreated('once', uid);
      await eventually(async () => (await scene.pods('once')).length === 1, { what: 'one pod' });
      const [pod] = await scene.pods('once');
      assert.equal(pod?.metadata.ownerReferences?.[0]?.uid, after.metadata.uid);
    });
  }

  test('the Job changes just before its deletion (409): weeder decides again, and recreates the changed Job', async (t) => {
    const isFirst = once(deletesJob('once'));
    const { scene, start } = await proxied(t, 'conflict', async (request, scene) => {
      if (isFirst(request))
        assert.equal((await scene.patch('Job', 'once', { metadata: { labels: { late: 'yes' } } })).status, 200);
    });
    await start();
    const uid = await scene.adopt('once');
    await scene.put('once', { word: 'two' });
    const after = await scene.untilRecreated('once', uid);
    assert.equal(after.metadata.labels?.['late'], 'yes');
  });

  test('a Job that another client deletes at that moment is not created again', async (t) => {
    const isFirst = once(deletesJob('once'));
    const { scene, start } = await proxied(t, 'deleted', async (request, scene) => {
      if (!isFirst(request)) return;
      const path = scene.ns.path('apis/batch/v1', 'jobs', 'once');
      await scene.ns.cluster.api('DELETE', path, { ...deleteOptions, propagationPolicy: 'Background' });
    });
    await start();
    await scene.adopt('once');
    await scene.put('once', { word: 'two' });
    await eventually(async () => (await scene.job('once')) === undefined, { what: 'the deletion of the Job' });
    await eventually(async () => (await scene.copies()).length === 0, { what: 'no copy' });
    await remainsTrue(async () => (await scene.job('once')) === undefined, {
      what: 'the Job remains deleted',
      for: 3_000,
    });
  });

  for (const verb of ['delete', 'create'] as const) {
    test(`without the permission to ${verb} Jobs nothing is deleted and no copy is left, and the log names the rule to grant`, async (t) => {
      const scene = jobSceneOf(await setRestartScene(t, 'denied'));
      const { cluster, name: namespace } = scene.ns;
      const user = cluster.takeUser();
      const verbs = ['get', 'list', 'watch', 'patch', 'create', 'delete'];
      const rules: readonly Rule[] = [
        { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'list', 'watch', 'create', 'update'] },
        { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs },
        { apiGroups: ['batch'], resources: ['cronjobs'], verbs },
        { apiGroups: ['batch'], resources: ['jobs'], verbs: verbs.filter((each) => each !== verb) },
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
        { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      ];
      await grant(cluster, user, rules, { namespace });
      const weeder = await scene.start(t, { user, config: scene.config(recreate) });
      const uid = await scene.adopt('once');
      await scene.put('once', { word: 'two' });
      const line = await weeder.log.until('restart control request refused, retrying', { workload: 'job/once' });
      assert.ok(String(line['reason']).includes(`resources: ["jobs"], verbs: ["${verb}"]`), String(line['reason']));
      assert.deepEqual([(await scene.job('once'))?.metadata.uid, await scene.copies()], [uid, []]);
      const jobs = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: [verb] }];
      await grant(cluster, user, jobs, { namespace });
      await scene.untilRecreated('once', uid);
      assert.equal(arrayOf(await scene.copies()).length, 0);
    });
  }
});
