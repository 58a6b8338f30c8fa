import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import {
  barePod,
  crashLoopBackOff,
  running,
  setPodStatus,
  temporaryFile,
  terminated,
  testNamespace,
  waiting,
} from '../support/cluster.ts';
import { grant } from '../support/deploy/rbac.ts';
import { eventsWith } from '../support/events.ts';
import { type Scene, setScene } from '../support/scene.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../../..');

/** The arguments of node that run `weeder explain` for the scene. */
function argsOf(scene: Scene, user: string, flags: readonly string[]): string[] {
  const configFile = temporaryFile('config.yaml');
  writeFileSync(configFile, JSON.stringify(scene.config));
  const kubeconfig = scene.ns.cluster.kubeconfigFor(user);
  return ['src/cli/weeder.ts', 'explain', `--config-file=${configFile}`, `--kubeconfig=${kubeconfig}`, ...flags];
}

/** Runs `weeder explain`, which must succeed, and returns the lines of its output. */
async function explain(scene: Scene, ...flags: string[]): Promise<string[]> {
  const { stdout, stderr } = await run(process.execPath, argsOf(scene, 'admin', flags), { cwd: checkout });
  assert.equal(stderr, '');
  return stdout.trimEnd().split('\n');
}

suite('weeder explain', { concurrency: true }, () => {
  test('explain shows the services, the crash-looping pods, and which of them would be deleted or skipped, and deletes nothing', async (t) => {
    const scene = await setScene(t, 'explain', { settings: { watchDuration: '2m0s' } });
    const { name } = scene.ns;
    await scene.pod('healthy', running());
    await scene.pod('looping');
    await scene.pod('annotated', undefined, { annotations: { 'weeder.dev/ignore': 'true' } });
    await scene.pod('static', undefined, { annotations: { 'kubernetes.io/config.mirror': '2f1c' }, onNode: true });
    await scene.pod('silent', terminated(2, { finishedAt: new Date(Date.now() - 60_000) }));
    await scene.pod('proxied', { containers: { proxy: crashLoopBackOff(4) } }, { sidecars: ['proxy'] });
    await barePod(scene.ns, 'bare', { labels: scene.labels });
    await setPodStatus(scene.ns, 'bare', crashLoopBackOff(7));
    await scene.pod('unpulled', waiting('ImagePullBackOff'));
    await scene.pod('unrelated', undefined, { labels: { app: 'unrelated' } });
    await scene.endpoints(true, false);

    const backOff = 'back-off 5m0s restarting failed container';
    assert.deepEqual(await explain(scene), [
      `${scene.service}  (window 2m0s, whileNotReady hold, deletion delete)`,
      `  ${name}: Ready`,
      `    app=${name}: 8 pods, 6 crash-looping`,
      `      ${name}/annotated  container main, restarts 3, ${backOff}  → skipped: it is annotated weeder.dev/ignore: "true"`,
      `      ${name}/bare  container main, restarts 7, ${backOff}  → skipped: it has no controller that would recreate it (barePods: keep)`,
      `      ${name}/looping  container main, restarts 3, ${backOff}  → would be deleted in a window`,
      `      ${name}/proxied  sidecar proxy, restarts 4, ${backOff}  → would be deleted in a window`,
      `      ${name}/silent  container main, restarts 2, in unreported back-off  → would be deleted in a window`,
      `      ${name}/static  container main, restarts 3, ${backOff}  → skipped: it is the mirror of a static pod`,
      `      ${name}/unpulled  container main, ImagePullBackOff  → left alone: the image cannot be pulled, and the kubelet tries again`,
      '',
      `other-${name}  (window 5m0s, whileNotReady hold, deletion delete)`,
      '  no watched namespace has an EndpointSlice of this service',
    ]);
    await scene.observer.caughtUp();
    assert.deepEqual(scene.observer.deletions(), []);
  });

  test('explain shows a service that is down, and a service in an unwatched namespace', async (t) => {
    const scene = await setScene(t, 'explain-down', { settings: { barePods: 'delete', deletion: 'evict' } });
    await scene.endpoints(false);
    await barePod(scene.ns, 'bare', { labels: scene.labels });
    await setPodStatus(scene.ns, 'bare', crashLoopBackOff(4));
    const [head, state, , pod] = await explain(scene);
    assert.equal(head, `${scene.service}  (window 5m0s, whileNotReady hold, deletion evict)`);
    assert.equal(state, `  ${scene.ns.name}: Down`);
    assert.match(pod ?? '', /→ would be deleted in a window$/);
    const [, unwatched] = await explain(scene, '--namespace=default');
    assert.equal(unwatched, '  no watched namespace has an EndpointSlice of this service');
    await scene.observer.caughtUp();
    assert.deepEqual(scene.observer.deletions(), []);
  });

  test('explain pod says of a pod what was done with it, also when it is gone, by the Events of weeder', async (t) => {
    const scene = await setScene(t, 'explain-pod');
    const { ns, service } = scene;
    const answer = (pod: string) => explain(scene, 'pod', pod, `--namespace=${ns.name}`);
    await scene.start({ eventInstance: 'weeder-0' });
    await scene.endpoints(false);
    const pod = await scene.pod('web', crashLoopBackOff(4));
    const unselected = await scene.pod('unselected', undefined, { labels: { app: 'unselected' } });
    const notReady = `service ${service} is down, and a window opens when it recovers.`;
    assert.deepEqual(await answer(pod.metadata.name), [
      `Pod ${ns.name}/web: Not deleted now: ${notReady}`,
      `  service ${ns.name}/${service}: Down  → would be deleted in a window`,
    ]);
    assert.match(
      (await answer(unselected.metadata.name))[0] ?? '',
      /: Not deleted: no dependant .* has this name\. No podSelector of the config selects/,
    );
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await eventsWith(ns, [`involvedObject.uid=${pod.metadata.uid}`], ['PodDeleted']);
    const [sentence, event] = await answer(pod.metadata.name);
    const because = `because service ${service} recovered: container main was in CrashLoopBackOff after 4 restarts`;
    assert.match(sentence ?? '', new RegExp(`^Pod ${ns.name}/web: Deleted at \\S+Z, ${because}.*; it last ran from`));
    assert.match(event ?? '', new RegExp(`^  Event \\S+Z PodDeleted: Deleted, ${because}`));
  });

  test('explain names a namespace that it may not read, and shows the other one', async (t) => {
    const scene = await setScene(t, 'explain-refused');
    const { cluster, name } = scene.ns;
    const closed = await testNamespace(t, 'explain-closed', cluster);
    await scene.pod('looping');
    await scene.endpoints(true);
    const user = cluster.takeUser();
    const rules = [
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    ];
    const explained = () =>
      run(process.execPath, argsOf(scene, user, ['-n', `${name},${closed.name}`]), { cwd: checkout }).then(
        () => assert.fail('explain succeeded'),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
    const nothing = await explained();
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    assert.match(nothing.stderr, /^weeder: Cannot read endpointslices.*\n$/);

    await grant(cluster, user, rules, { namespace: name });
    const { code, stdout, stderr } = await explained();
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^  ${name}: Ready\n    app=${name}: 1 pod, 1 crash-looping$`, 'm'));
    const missing = stderr.trimEnd().split('\n');
    assert.ok(missing.length >= 2, stderr);
    for (const line of missing)
      assert.match(line, new RegExp(`^weeder: The output does not include .*${closed.name}.* refused \\(403\\).*Role`));
  });
});
