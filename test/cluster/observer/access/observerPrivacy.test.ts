import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { grant, type Rule } from '../../support/deploy/rbac.ts';
import { eventually } from '../../support/eventually.ts';
import { newNamespace, type TestNamespace } from '../../support/namespace.ts';
import { conditionOf, configMap, pathOf, rowOf, untilObject } from '../../support/observer/observedObjects.ts';
import {
  edit,
  everythingAllowed,
  makeAccount,
  type ObserverScene,
  setObserverScene,
} from '../../support/observer/observerScene.ts';
import { startWeeder, type WeederProcess } from '../../support/weeder.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const guess = 'guessed1';
const other = 'another2';

interface Scene extends ObserverScene {
  readonly weeder: WeederProcess;
  /** A namespace in which the account of the application has no permissions of its own. */
  readonly vault: TestNamespace;
}

/** A weeder that watches both namespaces, and an account `poor` without any permission. */
async function hostileScene(t: Cleanup): Promise<Scene> {
  const scene = await setObserverScene(t, 'privacy');
  const { ns } = scene;
  const vault = await newNamespace(ns.cluster, `${ns.name}-vault`, t);
  await makeAccount(ns, 'poor');
  const flags = [`--namespaces=${ns.name},${vault.name}`, '--log-level=debug'];
  const weeder = startWeeder(t, { cluster: ns.cluster, config: everythingAllowed, flags });
  await weeder.log.until('the application observer starts');
  return { ...scene, weeder, vault };
}

function poorOf({ ns }: Pick<ObserverScene, 'ns'>): string {
  return `system:serviceaccount:${ns.name}:poor`;
}

function inVault({ vault }: Scene, object: JsonObject): JsonObject {
  return { ...object, metadata: { ...objectOf(object['metadata']), namespace: vault.name } };
}

const secret = (name: string, value: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { a: base64(value) },
});

async function put(ns: TestNamespace, object: JsonObject, labels: JsonObject = {}): Promise<JsonObject> {
  const plural = object['kind'] === 'Secret' ? 'secrets' : 'configmaps';
  const { name } = objectOf(object['metadata']);
  return objectOf(await ns.cluster.api('POST', ns.path('api/v1', plural), { ...object, metadata: { name, labels } }));
}

async function untilState(scene: ObserverScene, application: string, kind: string, name: string, state: string) {
  return eventually(
    async (saw) => {
      const row = await rowOf(scene, application, kind, name);
      saw(row);
      return row?.['state'] === state ? row : undefined;
    },
    { what: `${kind}/${name} of ${application} ${state}` },
  );
}

/** Status and Events of an application, without what differs from one application to the next anyway. */
async function outsideOf(scene: Scene, name: string): Promise<string> {
  const { metadata, status } = await scene.application(name);
  const events = await eventsOf(scene, name);
  const text = JSON.stringify([objectOf(metadata)['finalizers'], status, events]);
  return text.replaceAll(name, 'NAME').replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"TIME"');
}

/** Each event once, because the number of repetitions depends on timing. */
async function eventsOf({ ns }: ObserverScene, name: string): Promise<readonly unknown[]> {
  const { items } = objectOf(await ns.cluster.api('GET', ns.path('apis/events.k8s.io/v1', 'events')));
  const events = arrayOf(items)
    .map(objectOf)
    .filter(({ regarding }) => objectOf(regarding)['name'] === name);
  return [...new Set(events.map(({ reason, note }) => `${textOf(reason)}: ${textOf(note)}`))].toSorted();
}

/** Waits until that many different Events are written, because an Event follows what it reports. */
async function untilReported(scene: Scene, name: string, count: number): Promise<void> {
  await eventually(
    async (saw) => {
      const events = await eventsOf(scene, name);
      saw(events);
      return events.length >= count;
    },
    { what: `${count} Events of ${name}` },
  );
}

const kinds = [
  { kind: 'ConfigMap', object: (name: string, value: string) => configMap(name, { a: value }) },
  { kind: 'Secret', object: secret },
] as const;

/** Objects of both kinds whose values another client guesses; returns their uids. */
async function makeTargets({ ns, vault }: Scene): Promise<readonly unknown[]> {
  const label = 'weeder.dev/application';
  const own = ownerOf({ namespace: ns.name, name: 'labelled' }).label;
  const targets: JsonObject[] = [];
  for (const { object } of kinds) {
    targets.push(await put(vault, object('right', guess)));
    targets.push(await put(vault, object('wrong', other)));
    targets.push(await put(vault, object('labelled', other), { [label]: own }));
    targets.push(await put(vault, object('claimed', other), { [label]: 'of-another-one' }));
  }
  return targets.map((each) => objectOf(each['metadata'])['uid']);
}

const guessed = ['absent', 'right', 'wrong', 'labelled', 'claimed'];

/** An application for each, which names an object of each kind with the guessed value. */
async function makeGuesses(scene: Scene, mode: string): Promise<void> {
  for (const name of guessed) {
    const manifests = kinds.map(({ object }) => inVault(scene, object(name, guess)));
    await scene.apply(name, { mode, serviceAccountName: 'poor', resyncPeriod: '5s', manifests });
  }
  for (const name of guessed) {
    for (const { kind } of kinds) await untilState(scene, name, kind, name, 'Unverified');
    await untilReported(scene, name, mode === 'detect' ? 2 : 3);
    // The last change of its status, half a minute after its creation.
    await eventually(async () => (await scene.condition(name, 'Stalled')) === 'True', { what: `${name} stalled` });
  }
}

async function assertAllAlike(scene: Scene, expected: string, when: string): Promise<void> {
  for (const name of guessed) assert.equal(await outsideOf(scene, name), expected, `${name}, ${when}`);
}

suite('what an application shows on a real API server', { concurrency: 2 }, () => {
  for (const mode of ['detect', 'correct']) {
    test(`mode ${mode}: an account without permissions can neither detect an object, nor guess a value`, async (t) => {
      const scene = await hostileScene(t);
      const { vault } = scene;
      const uids = await makeTargets(scene);
      await makeGuesses(scene, mode);
      const expected = await outsideOf(scene, 'absent');
      await assertAllAlike(scene, expected, 'at first');
      assert.match(expected, /may neither get nor patch secrets/);
      for (const uid of uids) assert.ok(!expected.includes(String(uid)));

      // The value becomes the guessed one, under the label that the stream selects, and an object is deleted.
      const path = pathOf(vault, 'ConfigMap', 'labelled');
      await edit(vault, path, { data: { a: guess } }, 'another-client');
      await edit(vault, pathOf(vault, 'Secret', 'labelled'), { data: { a: base64(guess) } }, 'another-client');
      await vault.cluster.api('DELETE', pathOf(vault, 'ConfigMap', 'right'));
      // An account with the permission sees the change, so the stream has delivered it to weeder.
      await scene.apply('open', { mode: 'detect', manifests: [configMap('open', { a: guess })] });
      await untilState(scene, 'open', 'ConfigMap', 'open', 'Missing');
      await assertAllAlike(scene, expected, 'later');
    });
  }

  test('an account that may get in one namespace only sees nothing of another one', async (t) => {
    const scene = await hostileScene(t);
    const { ns, vault } = scene;
    const rules: Rule[] = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] }];
    await grant(ns.cluster, poorOf(scene), rules, { namespace: ns.name });
    await put(ns, configMap('settings', { a: other }));
    await put(vault, configMap('settings', { a: other }));
    const near = configMap('settings', { a: guess });
    const spec = { mode: 'detect', serviceAccountName: 'poor', manifests: [near] };
    await scene.apply('near', spec);
    await scene.apply('far', { ...spec, manifests: [inVault(scene, near)] });
    const row = await untilState(scene, 'near', 'ConfigMap', 'settings', 'Drifted');
    assert.match(JSON.stringify(row), new RegExp(other));
    await untilState(scene, 'far', 'ConfigMap', 'settings', 'Unverified');
    assert.doesNotMatch(await outsideOf(scene, 'far'), new RegExp(other));
    // The permission is granted later.
    await grant(ns.cluster, poorOf(scene), rules, { namespace: vault.name });
    await untilState(scene, 'far', 'ConfigMap', 'settings', 'Drifted');
  });

  test('a rule with resourceNames shows these objects and no others; Secrets never show their values', async (t) => {
    const scene = await hostileScene(t);
    const { ns } = scene;
    const read: Rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['known'] };
    const create: Rule = { apiGroups: [''], resources: ['secrets'], verbs: ['create'] };
    await grant(ns.cluster, poorOf(scene), [read, create], { namespace: ns.name });
    for (const name of ['known', 'hidden']) await put(ns, secret(name, other));
    const manifests = ['known', 'hidden'].map((name) => secret(name, guess));
    await scene.apply('shop', { mode: 'detect', serviceAccountName: 'poor', manifests });
    await untilState(scene, 'shop', 'Secret', 'hidden', 'Unverified');
    const row = await untilState(scene, 'shop', 'Secret', 'known', 'Drifted');
    assert.deepEqual(row['drifts'], [{ path: '.data.a', type: 'Changed' }]);
    const text = await outsideOf(scene, 'shop');
    for (const value of [guess, other, base64(guess), base64(other)]) assert.ok(!text.includes(value), value);
  });

  test('an account that may only create and patch sees the answers to its own writes', async (t) => {
    const scene = await hostileScene(t);
    const { ns } = scene;
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];
    await grant(ns.cluster, poorOf(scene), rules, { namespace: ns.name });
    await put(ns, configMap('settings', { a: other }));
    const manifests = [configMap('settings', { a: guess })];
    await scene.apply('watcher', { mode: 'detect', serviceAccountName: 'poor', manifests });
    await untilState(scene, 'watcher', 'ConfigMap', 'settings', 'Drifted');
    await scene.apply('shop', { serviceAccountName: 'poor', manifests });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: other } });
    await untilObject(
      ns,
      'ConfigMap',
      'settings',
      'the restored value',
      (object) => objectOf(object['data'])['a'] === guess,
    );
    await scene.untilInSync('shop');
  });

  test('if a policy refuses the patches of an account that may not get, nothing is reported of the object', async (t) => {
    const scene = await hostileScene(t);
    const { ns, vault } = scene;
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];
    await grant(ns.cluster, poorOf(scene), rules, { namespace: vault.name });
    await put(vault, configMap('settings', { a: other }));
    await refuseWrites(scene, poorOf(scene));
    const manifests = [inVault(scene, configMap('settings', { a: guess }))];
    for (const mode of ['detect', 'correct']) {
      await scene.apply(mode, { mode, serviceAccountName: 'poor', manifests });
      await untilState(scene, mode, 'ConfigMap', 'settings', 'Unverified');
      assert.doesNotMatch(await outsideOf(scene, mode), new RegExp(other));
    }
  });

  test('the owner of a resource in another namespace is named only to an account that may read that resource', async (t) => {
    const scene = await hostileScene(t);
    const { ns, vault } = scene;
    await ns.cluster.api('POST', vault.path('apis/weeder.dev/v1alpha1', 'applications'), {
      apiVersion: 'weeder.dev/v1alpha1',
      kind: 'Application',
      metadata: { name: 'hidden-application' },
      spec: { mode: 'detect', manifests: [configMap('elsewhere', { a: other })] },
    });
    const theirs = configMap('shared', { a: other });
    const label = { 'weeder.dev/application': ownerOf({ namespace: vault.name, name: 'hidden-application' }).label };
    await put(vault, theirs, label);
    const annotations = { 'weeder.dev/application-name': `${vault.name}/hidden-application` };
    await edit(vault, pathOf(vault, 'ConfigMap', 'shared'), { metadata: { annotations } });
    const spec = { serviceAccountName: 'poor', manifests: [inVault(scene, configMap('shared', { a: guess }))] };
    await scene.apply('shop', spec);
    await untilState(scene, 'shop', 'ConfigMap', 'shared', 'Unverified');
    assert.doesNotMatch(await outsideOf(scene, 'shop'), /hidden-application|belongs/);
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];
    await grant(ns.cluster, poorOf(scene), rules, { namespace: vault.name });
    await untilState(scene, 'shop', 'ConfigMap', 'shared', 'OwnershipConflict');
    assert.match(String((await conditionOf(scene, 'shop', 'Degraded'))['message']), /hidden-application/);
    // Such an application can be deleted.
    await ns.cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop'));
    const isDeleted = async () =>
      (await ns.cluster.send('GET', ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop'))).status === 404;
    await eventually(isDeleted, { what: 'the end of the application' });
  });
});

/** A policy that lets this user write no ConfigMap in the vault; resolves when the API server enforces it. */
async function refuseWrites({ ns, vault, weeder: _ }: Scene, user: string): Promise<void> {
  const { cluster } = ns;
  const group = '/apis/admissionregistration.k8s.io/v1';
  const name = `no-writes-${ns.name}`;
  await cluster.api('POST', `${group}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
        ],
      },
      validations: [{ expression: `request.userInfo.username != '${user}'`, message: 'writes are not allowed' }],
    },
  });
  await cluster.api('POST', `${group}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': vault.name } } },
    },
  });
  const probe = configMap('probe', { a: '1' });
  await eventually(
    async () => {
      const options = { body: { ...probe, metadata: { name: 'probe' } }, impersonate: user };
      return (await cluster.send('POST', `${vault.path('api/v1', 'configmaps')}?dryRun=All`, options)).status === 422;
    },
    { what: 'the policy in force' },
  );
}
