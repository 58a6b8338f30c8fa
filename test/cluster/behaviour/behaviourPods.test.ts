import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import {
  completed,
  crashLoopBackOff,
  eventually,
  PodList,
  patchPodMetadata,
  removeFinalizers,
  running,
  setPodStatus,
  terminated,
  waiting,
} from '../support/cluster.ts';
import { podTemplate } from '../support/restart/podTemplate.ts';
import { setScene, untilEnding } from '../support/scene.ts';

const JobStatus = z.looseObject({ status: z.looseObject({ failed: z.int().optional() }) });

const ignored = { 'weeder.dev/ignore': 'true' };
const mirror = { 'kubernetes.io/config.mirror': '2f1c' };
const everyKind = { initContainers: ['migrate'], sidecars: ['proxy'] };

suite('which pods are deleted', { concurrency: true }, () => {
  test('pods are deleted if a main container, an init container, a sidecar, or one of several containers crash-loops', async (t) => {
    const scene = await setScene(t, 'kinds');
    await scene.start();
    const pods = [
      await scene.pod('main', { containers: { main: crashLoopBackOff(2) } }, everyKind),
      await scene.pod('init', { containers: { migrate: crashLoopBackOff(2) } }, everyKind),
      await scene.pod('sidecar', { containers: { proxy: crashLoopBackOff(2) } }, everyKind),
      await scene.pod('one', { containers: { b: crashLoopBackOff(1) } }, { containers: ['a', 'b', 'c'] }),
      await scene.pod('never-restarted', { containers: { main: crashLoopBackOff(0) } }),
    ];
    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    scene.assertDeleted(...pods);
  });

  test('pods that do not crash-loop are not deleted: healthy, starting, not ready, waiting for an image, ended', async (t) => {
    const scene = await setScene(t, 'healthy');
    await scene.start();
    await scene.pod('healthy', running(), everyKind);
    await scene.pod('recovered', running(7));
    await scene.pod('unready', running(7, { ready: false }));
    await scene.pod('image', waiting('ImagePullBackOff'));
    await scene.pod('config', waiting('CreateContainerConfigError'));
    await scene.pod(
      'initialising',
      { containers: { migrate: running(), main: waiting('PodInitializing') } },
      everyKind,
    );
    await scene.pod('migrated', { containers: { migrate: completed(3), main: running() } }, everyKind);
    const rerun = { migrate: crashLoopBackOff(2), main: running(), proxy: running() };
    await scene.pod('rerun-ready', { containers: rerun, ready: true }, everyKind);
    await scene.pod('rerun-unready', { containers: rerun, ready: false }, everyKind);
    const ended = { restartPolicy: 'Never' } as const;
    await scene.pod('succeeded', { phase: 'Succeeded', containers: { main: completed(2) } }, ended);
    await scene.pod('failed', { phase: 'Failed', containers: { main: terminated(2) } }, ended);
    await scene.endpoints(true);
    await scene.laterPodDeleted();
    await scene.laterPodDeleted(() => terminated(2));
    scene.assertDeleted();
  });

  test('a deleted pod counts as a failure of its Job', async (t) => {
    const scene = await setScene(t, 'job');
    const { ns, labels } = scene;
    await scene.start();
    const template = podTemplate({ labels, restartPolicy: 'OnFailure' }, 'once');
    const jobs = (name?: string) => ns.path('apis/batch/v1', 'jobs', name);
    await ns.cluster.api('POST', jobs(), { metadata: { name: 'once' }, spec: { backoffLimit: 6, template } });
    const pods = `${ns.path('api/v1', 'pods')}?labelSelector=job-name%3Donce`;
    const [created] = await eventually(
      async () => {
        const { items } = PodList.parse(await ns.cluster.api('GET', pods));
        return items.length > 0 && items;
      },
      { what: 'the pod of the Job' },
    );
    assert.ok(created);
    const pod = await setPodStatus(ns, created.metadata.name, crashLoopBackOff(3));
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    const failed = async () => JobStatus.parse(await ns.cluster.api('GET', jobs('once'))).status.failed === 1;
    await eventually(failed, { what: 'one failure of the Job' });
  });

  test('pods with other labels are not deleted, until a label makes them dependants', async (t) => {
    const scene = await setScene(t, 'labels');
    await scene.start();
    const other = await scene.pod('other', undefined, { labels: { app: 'another' } });
    await scene.pod('none', undefined, { labels: {} });
    const leaving = await scene.pod('leaving', running());
    await scene.endpoints(true);
    await patchPodMetadata(scene.ns, 'leaving', { labels: { app: null } });
    await setPodStatus(scene.ns, 'leaving', crashLoopBackOff(2));
    await scene.laterPodDeleted();
    scene.assertDeleted();
    await patchPodMetadata(scene.ns, 'other', { labels: scene.labels });
    await scene.untilDeleted(other);
    await patchPodMetadata(scene.ns, 'leaving', { labels: scene.labels });
    await scene.untilDeleted(leaving);
  });

  test('a pod with a finalizer is deleted once, however long the finalizer delays its end', async (t) => {
    const scene = await setScene(t, 'finalizer');
    const weeder = await scene.start();
    const terminating = await scene.pod('finalized', undefined, { finalizers: ['weeder.test/hold'] });
    scene.ns.after(() => removeFinalizers(scene.ns, 'finalized').catch(() => {}));
    await scene.endpoints(true);
    await untilEnding(scene.ns, terminating);
    await setPodStatus(scene.ns, 'finalized', crashLoopBackOff(5));
    await scene.laterPodDeleted();
    await scene.endpoints(false);
    await scene.endpoints(true);
    await scene.laterPodDeleted();
    scene.assertDeleted();
    assert.equal(weeder.eventsOf('pod.deleted').filter(({ pod }) => pod.uid === terminating.metadata.uid).length, 1);
    await removeFinalizers(scene.ns, 'finalized');
    await scene.untilDeleted(terminating);
  });

  test('an annotated pod and a mirror pod are not deleted, and each is reported once in a window', async (t) => {
    const scene = await setScene(t, 'skipped', { settings: { barePods: 'delete' } });
    const weeder = await scene.start();
    await scene.pod('ignored', undefined, { annotations: ignored });
    await scene.pod('mirror', undefined, { annotations: mirror, onNode: true });
    const notIgnored = await scene.pod('not-ignored', undefined, { annotations: { 'weeder.dev/ignore': 'false' } });
    await scene.endpoints(true);
    await scene.untilDeleted(notIgnored);
    for (const restarts of [4, 5, 6]) {
      await setPodStatus(scene.ns, 'ignored', crashLoopBackOff(restarts));
      await setPodStatus(scene.ns, 'mirror', running(restarts));
      await setPodStatus(scene.ns, 'mirror', crashLoopBackOff(restarts));
    }
    await scene.laterPodDeleted();
    scene.assertDeleted(notIgnored);
    const skipped = weeder.log.find(/^deletion skipped/).map(({ pod, reason }) => `${pod} ${reason}`);
    const { name } = scene.ns;
    assert.deepEqual(skipped.sort(), [`${name}/ignored ignored`, `${name}/mirror mirrorPod`]);

    await scene.endpoints(false);
    await scene.endpoints(true);
    const closed = await weeder.log.until('window closed', { service: scene.service, window: 1 });
    assert.partialDeepStrictEqual(closed, { skipped: 2 });
    await weeder.log.until(/^deletion skipped/, { pod: `${name}/ignored`, window: 2 });
    await scene.laterPodDeleted();
    scene.assertDeleted(notIgnored);
  });
});
