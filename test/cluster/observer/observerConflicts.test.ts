import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually, sharedControlPlane } from '../support/cluster.ts';
import { contest } from '../support/observer/contest.ts';
import {
  at,
  conditionOf,
  configMap,
  containersOf,
  deployment,
  isThere,
  namesIn,
  pathOf,
  read,
  rowOf,
  untilObject,
} from '../support/observer/observedObjects.ts';
import { edit, setObserverScene } from '../support/observer/observerScene.ts';
import { skipBefore } from '../support/plane/apiServerVersion.ts';

const mode = { name: 'MODE', value: 'a' };
const exactlyOne = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
const dataOf = (object: unknown) => at(object, 'data', 'a');

/** Of the Deployment `web` the image and the variable `MODE`, and at most so many variables. */
function observing(maxVariables: number) {
  const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: maxVariables };
  const container = { name: 'observed', image: 'observed', env: [{ name: 'observed', value: 'observed' }, bounds] };
  const spec = { template: { spec: { containers: [container, exactlyOne] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
}

/** Admission that changes each ConfigMap of this namespace. Resolves when it is in effect, with what ends it. */
async function mirroring(
  t: TestContext,
  ns: Awaited<ReturnType<typeof setObserverScene>>['ns'],
): Promise<() => Promise<void>> {
  const api = '/apis/admissionregistration.k8s.io/v1';
  const name = `mirror-${ns.name}`;
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };
  const expression = "Object{data: {'a': 'mirrored'}}";
  const end = async () => {
    await ns.cluster.send('DELETE', `${api}/mutatingadmissionpolicybindings/${name}`);
    await ns.cluster.send('DELETE', `${api}/mutatingadmissionpolicies/${name}`);
  };
  t.after(end);
  await ns.cluster.api('POST', `${api}/mutatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [rule] },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    },
  });
  await ns.cluster.api('POST', `${api}/mutatingadmissionpolicybindings`, {
    metadata: { name },
    spec: {
      policyName: name,
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns.name } } },
    },
  });
  await eventually(
    async () => {
      const probe = { metadata: { name: 'probe' }, data: { a: 'x' } };
      const answer = await ns.cluster.send('POST', `${ns.path('api/v1', 'configmaps')}?dryRun=All`, { body: probe });
      return dataOf(answer.body) === 'mirrored';
    },
    { what: 'that the policy is in force' },
  );
  return end;
}

const noPolicies = 'MutatingAdmissionPolicy is not stable';

suite('clients and admission that work against an application, on a real API server', { concurrency: 2 }, () => {
  test('a manager that changes a value back repeatedly is named and corrected later each time, and nothing else waits', async (t) => {
    const scene = await setObserverScene(t, 'conflict');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('fought', { a: '1' }), configMap('quiet', { a: '1' })] });
    await scene.untilInSync('shop');
    const line = await contest(scene, weeder, 'fought', 'their-operator');
    assert.match(String(line['conflictingManager']), /their-operator/);
    // The other resource is corrected while this one waits.
    await edit(ns, pathOf(ns, 'ConfigMap', 'quiet'), { data: { a: '2' } });
    await untilObject(
      ns,
      'ConfigMap',
      'quiet',
      'the restored value of the quiet one',
      (object) => dataOf(object) === '1',
    );
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'fought')), 'theirs');
    const resource = `ConfigMap ${ns.name}/fought`;
    const before = weeder.log.find('resource corrected', { resource });
    await untilObject(ns, 'ConfigMap', 'fought', 'the last correction', (object) => dataOf(object) === '1');
    const last = await weeder.log.until('resource corrected', { resource }, { count: before.length + 1 });
    const times = [...before, last].map(({ time }) => Date.parse(time));
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    assert.ok(
      gaps.every((gap, index) => gap >= 1_900 * 2 ** index),
      gaps.join(),
    );
  });

  test('a value that admission changes each time is accepted, and reported as such', async (t) => {
    if (await skipBefore(t, await sharedControlPlane(), 36, noPolicies)) return;
    const scene = await setObserverScene(t, 'conflict');
    const { ns } = scene;
    await mirroring(t, ns);
    await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: 'ours', b: '1' })] });
    await scene.untilInSync('shop');
    const before = await read(ns, 'ConfigMap', 'settings');
    assert.equal(dataOf(before), 'mirrored');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { b: '2' } });
    const after = await untilObject(
      ns,
      'ConfigMap',
      'settings',
      'the restored other value',
      (object) => at(object, 'data', 'b') === '1',
    );
    assert.equal(dataOf(after), 'mirrored');
    await scene.untilInSync('shop');
    assert.deepEqual(
      at(await read(ns, 'ConfigMap', 'settings'), 'metadata', 'resourceVersion'),
      at(after, 'metadata', 'resourceVersion'),
    );
  });

  test('a change of admission while weeder runs is found by a dry run: its result is the desired state, and live values are corrected', async (t) => {
    if (await skipBefore(t, await sharedControlPlane(), 36, noPolicies)) return;
    const scene = await setObserverScene(t, 'admission');
    const { ns } = scene;
    const weeder = await scene.start(t, { config: { observer: { trialPeriod: '2s' } } });
    await scene.apply('shop', { manifests: [configMap('settings', { a: 'ours', b: '1' })] });
    await scene.untilInSync('shop');
    const end = await mirroring(t, ns);
    await untilObject(ns, 'ConfigMap', 'settings', 'the value of admission', (object) => dataOf(object) === 'mirrored');
    const { paths } = await weeder.log.until('desired state changed by admission or defaults');
    assert.deepEqual(paths, ['.data.a']);
    await end();
    await untilObject(ns, 'ConfigMap', 'settings', 'the value of the manifest', (object) => dataOf(object) === 'ours');
    await scene.untilInSync('shop');
  });

  test('a change of an immutable field is refused and reported, the rest is applied; with recreate the object is recreated', async (t) => {
    const scene = await setObserverScene(t, 'conflict');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const manifests = (value: string) => [
      configMap('fixed', { a: value }, { immutable: true }),
      configMap('settings', { a: value }),
    ];
    await scene.apply('shop', { manifests: manifests('1') });
    await scene.untilInSync('shop');
    const { metadata } = await read(ns, 'ConfigMap', 'fixed');
    await scene.apply('shop', { manifests: manifests('2') });
    await untilObject(ns, 'ConfigMap', 'settings', 'the update', (object) => dataOf(object) === '2');
    await weeder.log.until('resource refused');
    await eventually(async () => (await scene.condition('shop', 'Degraded')) === 'True', { what: 'Degraded' });
    assert.match(String((await conditionOf(scene, 'shop', 'Degraded'))['message']), /fixed/);
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'fixed')), '1');
    await scene.apply('shop', { manifests: manifests('2'), recreate: ['ConfigMap/fixed'] });
    const recreated = await untilObject(ns, 'ConfigMap', 'fixed', 'the new one', (object) => dataOf(object) === '2');
    assert.notEqual(at(recreated, 'metadata', 'uid'), objectOf(metadata)['uid']);
    await scene.untilInSync('shop');
    assert.equal(await scene.condition('shop', 'Degraded'), 'False');
  });

  test('while a new manifest is refused permanently, the last applied one is in force, and the part that was applied is not reverted', async (t) => {
    const scene = await setObserverScene(t, 'conflict');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const spec = (container: JsonObject, data: JsonObject, maxVariables: number) => ({
      manifests: [deployment('web', container), configMap('settings', data), configMap('other', data)],
      observerSchema: [observing(maxVariables)],
    });
    await scene.apply('shop', spec({}, { a: '1' }, 1));
    await scene.untilInSync('shop');
    const resource = `Deployment ${ns.name}/web`;
    const [web, settings] = [pathOf(ns, 'Deployment', 'web'), pathOf(ns, 'ConfigMap', 'settings')];
    const strategicMerge = async (containers: readonly JsonObject[], more: JsonObject = {}) =>
      ns.cluster.send('PATCH', `${web}?fieldManager=kubectl-edit`, {
        body: { spec: { ...more, template: { spec: { containers } } } },
        contentType: 'application/strategic-merge-patch+json',
      });
    // From its first correction on, the image has a manager of its own.
    await strategicMerge([{ name: 'web', image: 'theirs:0' }]);
    await weeder.log.until('resource corrected', { resource });
    // No image, and no key: the API server refuses each as a whole; of the Deployment the rest is applied before that.
    const wrong = { image: '', env: [mode, { name: 'EXTRA', value: 'b' }] };
    await scene.apply('shop', spec(wrong, { 'a b': '2' }, 2));
    for (const resource of [`Deployment ${ns.name}/web`, `ConfigMap ${ns.name}/settings`])
      await weeder.log.until('resource refused', { resource });
    assert.deepEqual(namesIn(containersOf(await read(ns, 'Deployment', 'web'))[0]?.['env']), ['MODE', 'EXTRA']);
    const containers = [
      { name: 'web', image: 'theirs:1' },
      { name: 'intruder', image: 'theirs:1' },
    ];
    await strategicMerge(containers, { replicas: 3 });
    await edit(ns, settings, { data: { a: 'theirs' } });
    await ns.cluster.api('DELETE', pathOf(ns, 'ConfigMap', 'other'));
    const corrected = await untilObject(
      ns,
      'Deployment',
      'web',
      'the restored image, without the intruder',
      (object) => {
        const containers = containersOf(object);
        return containers.length === 1 && containers[0]?.['image'] === 'web:1';
      },
    );
    assert.equal(at(corrected, 'spec', 'replicas'), 3, 'it is not observed');
    await untilObject(ns, 'ConfigMap', 'settings', 'the restored value', (object) => dataOf(object) === '1');
    await eventually(() => isThere(ns, 'ConfigMap', 'other'), { what: 'that it is recreated' });
    await eventually(
      async (saw) => {
        const condition = await conditionOf(scene, 'shop', 'InSync');
        saw(condition);
        return condition['status'] === 'True' && /web stays as it was applied last/.test(String(condition['message']));
      },
      { what: 'that all is as it was' },
    );
    for (const type of ['Applied', 'Degraded']) {
      const { status, message } = await conditionOf(scene, 'shop', type);
      assert.equal(status, type === 'Applied' ? 'False' : 'True');
      for (const name of ['web', 'settings', 'other']) assert.match(String(message), new RegExp(`/${name} \\(`));
    }
    await eventually(() => weeder.log.find('resource corrected', { resource }).length > 1, { what: 'the correction' });
    assert.equal(weeder.log.find('resource corrected', { resource }).length, 2, 'what we brought in is not drift');
    await scene.apply('shop', spec({ image: 'web:2' }, { a: '2' }, 1));
    await scene.untilInSync('shop');
    assert.equal(containersOf(await read(ns, 'Deployment', 'web'))[0]?.['image'], 'web:2');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), '2');
  });

  test('with detect nothing is written: the status lists drift and missing resources, and correct corrects them', async (t) => {
    const scene = await setObserverScene(t, 'conflict');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const manifests = [configMap('settings', { a: '1' }), configMap('other', { a: '1' })];
    await scene.apply('shop', { manifests });
    await scene.untilInSync('shop');
    await scene.apply('shop', { manifests: [...manifests, deployment()], mode: 'detect' });
    // With correct it would be corrected before.
    await eventually(async () => (await scene.condition('shop', 'Applied')) === 'False', { what: 'mode detect' });
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await ns.cluster.api('DELETE', pathOf(ns, 'ConfigMap', 'other'));
    const row = await eventually(
      async (saw) => {
        const row = await rowOf(scene, 'shop', 'ConfigMap', 'settings');
        saw(row);
        return row?.['state'] === 'Drifted' ? row : undefined;
      },
      { what: 'the drift in the status' },
    );
    assert.deepEqual(at(row, 'drifts', 0, 'found'), '"theirs"');
    for (const [kind, name] of [
      ['ConfigMap', 'other'],
      ['Deployment', 'web'],
    ] as const) {
      await eventually(async () => (await rowOf(scene, 'shop', kind, name))?.['state'] === 'Missing', {
        what: `that ${name} is missing`,
      });
    }
    assert.equal(await scene.condition('shop', 'InSync'), 'False');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), 'theirs');
    assert.deepEqual(weeder.log.find('resource corrected'), []);
    assert.equal(await isThere(ns, 'ConfigMap', 'other'), false);
    assert.equal(await isThere(ns, 'Deployment', 'web'), false);
    await scene.apply('shop', { manifests: [...manifests, deployment()], mode: 'correct' });
    await scene.untilInSync('shop');
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), '1');
    assert.ok(await isThere(ns, 'ConfigMap', 'other'));
    assert.ok(await isThere(ns, 'Deployment', 'web'));
  });

  test('a pause blocks corrections and updates until its time, and then ends', async (t) => {
    const scene = await setObserverScene(t, 'conflict');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const until = Date.now() + 15_000;
    const pausedUntil = new Date(until).toISOString();
    await scene.apply('shop', { manifests: [configMap('settings', { a: '2' })], pausedUntil });
    await weeder.log.until('application paused');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    const after = await untilObject(ns, 'ConfigMap', 'settings', 'the update', (object) => dataOf(object) === '2');
    assert.ok(after);
    assert.ok(Date.now() >= until);
    await scene.untilInSync('shop');
  });
});
