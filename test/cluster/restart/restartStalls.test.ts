import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually, type Pod, patchPodStatus } from '../support/cluster.ts';
import { healthy, type PodBehaviour } from '../support/plane/remoteKubelet.ts';
import { type RestartScene, setRestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';
import type { WorkloadOptions } from '../support/restart/workloadOptions.ts';

const hashAnnotation = 'weeder.dev/dependencies-hash';
/** On a busy machine a healthy rollout may stall after so short a time, or stall before its obstacle is reported. */
const impatient = { selector: { matchLabels: { stalls: 'soon' } }, stallAfter: '5s' };
const shorterThanReady = { selector: { matchLabels: { stalls: 'before-ready' } }, stallAfter: '15s' };

/** The pods of the first restart of `stuck-…` never become ready. */
function podProgram(): NonNullable<PodBehaviour['program']> {
  const firstHashes = new Map<string, string>();
  return ({ metadata }) => {
    const hash = metadata.annotations?.[hashAnnotation];
    const name = metadata.labels?.['workload'] ?? '';
    if (hash !== undefined && !firstHashes.has(name)) firstHashes.set(name, hash);
    const isStuck = name.startsWith('stuck-') && hash !== undefined && firstHashes.get(name) === hash;
    return { ...healthy, readyAfter: isStuck ? 3_600_000 : healthy.readyAfter };
  };
}

async function adopted(scene: RestartScene, name: string, options: WorkloadOptions = {}): Promise<void> {
  await scene.put(name, { word: 'one' });
  await scene.make('Deployment', name, options);
  await scene.untilAdopted('Deployment', name);
}

/** Returns the pods that a restart has created. */
async function restarted(scene: RestartScene, name: string): Promise<Pod[]> {
  return (await scene.pods(name)).filter(({ metadata }) => metadata.annotations?.[hashAnnotation] !== undefined);
}

suite('rollouts that fail or stall', { concurrency: true }, () => {
  const given = suiteRestartScene('stalls', {
    program: podProgram(),
    section: { rules: [impatient, shorterThanReady, {}] },
  });

  test('an image that cannot be pulled is reported at once, and the newer change that fixes it does not wait', async () => {
    const { scene, weeder } = given();
    await adopted(scene, 'stuck-image');
    await scene.put('stuck-image', { word: 'two' });
    const [pod] = await eventually(
      async () => {
        const pods = await restarted(scene, 'stuck-image');
        return pods.some(({ status }) => status.containerStatuses !== undefined) && pods;
      },
      { what: 'a pod that was started for the restart' },
    );
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
    const status = { name: 'main', image: '', imageID: '', restartCount: 0, ready: false, state: { waiting } };
    const line = await eventually(
      async () => {
        // Repeatedly, because the simulated kubelet overwrites the status.
        await patchPodStatus(scene.ns, pod?.metadata.name ?? '', { containerStatuses: [status] });
        return weeder.log.find('rollout stalled', { workload: 'deployment/stuck-image' })[0];
      },
      { what: 'a rollout that is reported as stalled' },
    );
    assert.match(String(line['reason']), /ImagePullBackOff/);
    assert.equal(await scene.rollouts('Deployment', 'stuck-image'), 1);
    assert.ok((await scene.state('Deployment', 'stuck-image'))?.target, 'the restart is not recorded');

    await scene.put('stuck-image', { word: 'three' });
    await scene.untilDone('Deployment', 'stuck-image', 2);
    const hash = (await scene.summary('Deployment', 'stuck-image')).templateAnnotation;
    assert.deepEqual(
      (await scene.pods('stuck-image')).map(({ metadata }) => metadata.annotations?.[hashAnnotation]),
      [hash, hash],
    );
  });

  test('a rollout without progress counts as stalled after stallAfter, and not before', async () => {
    const { scene, weeder } = given();
    await adopted(scene, 'stuck-silent', { labels: { stalls: 'soon' } });
    await scene.put('stuck-silent', { word: 'two' });
    const begun = await weeder.log.until(/^workload restarted/, { workload: 'deployment/stuck-silent' });
    const line = await weeder.log.until('rollout stalled', { workload: 'deployment/stuck-silent' });
    assert.match(String(line['reason']), /^the rollout has made no progress since \d{4}-/);
    assert.ok(Date.parse(line.time) - Date.parse(begun.time) >= 5_000);
    assert.equal((await restarted(scene, 'stuck-silent')).length, 1);
    await scene.put('stuck-silent', { word: 'three' });
    await scene.untilDone('Deployment', 'stuck-silent', 2);
  });

  test('a healthy rollout of pods with minReadySeconds above stallAfter does not stall', async () => {
    const { scene, weeder } = given();
    await adopted(scene, 'waits', { labels: { stalls: 'before-ready' }, spec: { replicas: 1 } });
    await scene.patch('Deployment', 'waits', { spec: { minReadySeconds: 20 } });
    await scene.put('waits', { word: 'two' });
    await scene.untilDone('Deployment', 'waits', 1);
    await weeder.log.until(/^workload rolled out/, { workload: 'deployment/waits' });
    assert.deepEqual(weeder.log.find('rollout stalled', { workload: 'deployment/waits' }), []);
  });

  test('a rollout that a ResourceQuota stops is reported with the quota', async (t) => {
    const scene = await setRestartScene(t, 'quota', { program: podProgram() });
    const weeder = await scene.start(t, { config: scene.config({ stallAfter: '20s' }) });
    await adopted(scene, 'web');
    const quotas = scene.ns.path('api/v1', 'resourcequotas');
    const pods = String((await scene.pods('web')).length);
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'full' }, spec: { hard: { pods } } };
    await scene.ns.cluster.api('POST', quotas, quota);
    const status = { hard: { pods }, used: { pods } };
    const body = { body: { status } };
    assert.equal((await scene.ns.cluster.send('PATCH', `${quotas}/full/status`, body)).status, 200);
    const another = { metadata: { name: 'another' }, spec: { containers: [{ name: 'main', image: 'none' }] } };
    const podsOfAll = `${scene.ns.path('api/v1', 'pods')}?dryRun=All`;
    await eventually(async () => (await scene.ns.cluster.send('POST', podsOfAll, { body: another })).status === 403, {
      what: 'a quota that is in force',
    });
    await scene.put('web', { word: 'two' });
    const line = await weeder.log.until('rollout stalled', { workload: 'deployment/web' });
    assert.match(String(line['obstacle']), /^FailedCreate: pods "web-\S+" is forbidden: exceeded quota: full/);
  });
});
