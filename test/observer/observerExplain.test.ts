import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf, systemClock } from '@weeder/kube-runtime/base';
import type { MaintenanceWindow } from '../../src/config/maintenance.ts';
import { everythingAllowed } from '../../src/config/schema/allowedResources.ts';
import { explainApplication } from '../../src/explain/explainApplication.ts';
import { applicationTexts, type ExplainedApplication } from '../../src/explain/explainedApplication.ts';
import { inspectApplication } from '../../src/explain/inspectApplication.ts';
import { failed, type Outcome } from '../../src/observer/objects/applyFailure.ts';
import { ownerOf } from '../../src/observer/objects/fieldManagers.ts';
import { unknownNode } from '../../src/observer/objects/schemaNode.ts';
import { hashManifest } from '../../src/observer/plan/manifestHash.ts';
import type { ResourceApi, RestMapper } from '../../src/observer/plan/resourceApi.ts';
import { readApplication } from '../../src/observer/spec/readApplication.ts';

const { label } = ownerOf({ namespace: 'shop', name: 'web' });
const now = Date.UTC(2026, 10, 21, 14);

const kinds: RestMapper = {
  find: async (_apiVersion, kind) =>
    given({ group: '', version: 'v1', kind, plural: `${kind.toLowerCase()}s`, isNamespaced: true }),
  findInGroup: async () => assert.fail('nothing is removed'),
  namespacedKinds: async () => assert.fail('nothing is removed'),
  awaitServed: async () => assert.fail('nothing is waited for'),
  topologyOf: async () => given(unknownNode),
  whenChanged: async () => assert.fail('nothing is observed'),
};

function given<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

interface Circumstances {
  readonly status?: JsonObject;
  readonly refuses?: boolean;
  readonly windows?: readonly MaintenanceWindow[];
}

/** The lines of the explanation. */
async function explain(...application: Parameters<typeof explained>): Promise<string[]> {
  return applicationTexts(await explained(...application))
    .join('\n')
    .split('\n');
}

/** The explanation of an application with this manifest and this live object; the API server accepts manifests as they are. */
async function explained(
  manifest: JsonObject,
  live: JsonObject | undefined,
  spec: JsonObject = {},
  { status = {}, refuses = false, windows = [] }: Circumstances = {},
): Promise<ExplainedApplication> {
  const asked: string[] = [];
  const api: Pick<ResourceApi, 'read' | 'dryRunApply'> = {
    read: async () => given(live),
    async dryRunApply({ target, manifest: { object } }) {
      asked.push(target.account ?? 'own rights');
      if (refuses) return failed('permanent', 'No such field.');
      return given({ object: labelled(object), isIndependent: true });
    },
  };
  const metadata = { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '1', generation: 1 };
  const object = { kind: 'Application', metadata, spec: { manifests: [manifest], ...spec }, status };
  const application = readApplication(object);
  if (application === undefined) return assert.fail('it is one');
  const signal = new AbortController().signal;
  const seen = await inspectApplication(application, status, {
    clock: systemClock,
    kinds,
    api,
    signal,
    allow: everythingAllowed,
  });
  assert.deepEqual([...new Set(asked)], live === undefined ? [] : ['system:serviceaccount:shop:default']);
  return explainApplication(seen, now, windows);
}

function labelled(object: JsonObject, more: JsonObject = {}): JsonObject {
  const metadata = { ...objectOf(object['metadata']), uid: 'r', resourceVersion: '5', ...more };
  return { ...object, metadata: { ...metadata, labels: { 'weeder.dev/application': label } } };
}

function of(kind: string, data: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'one' }, data };
}

test('if a resource is scaled, its replicas are shown as not observed, unless a schema applies', async () => {
  const web = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'one' },
    spec: { replicas: 1, paused: false },
  };
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' };
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'one' },
    spec: { scaleTargetRef },
  };
  const how = async (more: JsonObject) =>
    (await explain(web, labelled(web), more)).find((line) => line.includes('observed: '))?.replace(/^.*fields?, /, '');
  assert.equal(await how({}), 'every field of its manifest');
  assert.equal(
    await how({ manifests: [web, scaler] }),
    'every field of its manifest except the replicas, which another client scales',
  );
  const observerSchema = [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'one' }, spec: { paused: null } },
  ];
  assert.equal(await how({ observerSchema }), 'as its entry of the schema lists');
});

test('in mode detect a difference is shown with both values, and that it is only reported', async () => {
  const lines = await explain(of('ConfigMap', { a: '1', b: '1' }), labelled(of('ConfigMap', { a: '2', b: '1' })), {
    mode: 'detect',
  });
  assert.ok(lines.includes('ConfigMap shop/one: Drifted: 1 field  → reported, and not corrected'), lines.join('\n'));
  const fields = lines.slice(lines.indexOf('  mode detect: nothing is applied') + 1);
  assert.deepEqual(fields, ['  - .data.a: "1"', '  + .data.a: "2"', '    .data.b: "1"']);
});

test('an unobserved value that differs only in the order of its keys is not shown as different', async () => {
  const observerSchema = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: null } }];
  const lineOf = async (list: JsonObject[]) => {
    const live = labelled(of('ConfigMap', { a: '1', list }));
    const lines = await explain(of('ConfigMap', { a: '1', list: [{ x: 1, y: 2 }] }), live, { observerSchema });
    return lines.find((line) => line.startsWith('  ~'));
  };
  const wanted = '  ~ .data.list: [{"x":1,"y":2}]';
  assert.equal(await lineOf([{ y: 2, x: 1 }]), `${wanted} (not observed)`);
  assert.equal(await lineOf([{ y: 3, x: 1 }]), `${wanted}, is [{"y":3,"x":1}] (not observed)`);
});

test('no value of a Secret is shown, even if it differs or is not applied yet', async () => {
  const [was, is] = ['hunter2', 'hunter3'].map((text) => Buffer.from(text).toString('base64'));
  for (const mode of ['detect', 'correct']) {
    const lines = await explain(of('Secret', { password: was }), labelled(of('Secret', { password: is })), { mode });
    assert.ok(lines.includes('  ! .data.password: changed'), lines.join('\n'));
    assert.doesNotMatch(lines.join('\n'), new RegExp(`${was}|${is}|hunter`));
  }
});

test('the data has the values as JSON, and none of a Secret, also none that the status has', async () => {
  const drifts = [{ path: '.data.a', type: 'Changed', desired: '"b2xk"', found: '"bmV3"' }];
  const identity = { apiVersion: 'v1', name: 'one', namespace: 'shop' };
  const row = { ...identity, hash: 'another', appliedUid: 'u', state: 'Drifted', drifts };
  const dataOf = async (kind: string, refuses: boolean) => {
    const status = { resources: [{ ...row, kind }] };
    const live = labelled(of(kind, { a: 'bGl2ZQ==', b: 'c2FtZQ==' }));
    const answer = await explained(of(kind, { a: 'd2FudA==', b: 'c2FtZQ==' }), live, {}, { status, refuses });
    const [resource] = answer.resources;
    return { text: JSON.stringify(answer), resource: objectOf(JSON.parse(JSON.stringify(resource))) };
  };
  const [a, b] = ['.data.a', '.data.b'];
  const open = await dataOf('ConfigMap', false);
  const same = '"c2FtZQ=="';
  assert.deepEqual(open.resource['fields'], [
    { path: a, type: 'changed', desired: '"d2FudA=="', found: '"bGl2ZQ=="' },
    { path: b, type: 'same', desired: same, found: same },
  ]);
  assert.deepEqual((await dataOf('ConfigMap', true)).resource['before'], [
    { path: a, type: 'changed', desired: '"b2xk"', found: '"bmV3"' },
  ]);
  for (const refuses of [false, true]) {
    const { text, resource } = await dataOf('Secret', refuses);
    assert.deepEqual(resource['before'], [{ path: a, type: 'changed' }]);
    const fields = [
      { path: a, type: 'changed' },
      { path: b, type: 'same' },
    ];
    assert.deepEqual(resource['fields'], refuses ? [] : fields);
    assert.doesNotMatch(text, /b2xk|bmV3|bGl2|d2Fu|c2Ft/);
  }
});

test('a terminating, missing or paused resource is shown as such; control characters are not printed', async () => {
  const manifest = of('ConfigMap', { a: '1' });
  const ending = labelled(manifest, { deletionTimestamp: '2026-11-21T13:00:00Z' });
  const said = async (live: JsonObject | undefined, spec?: JsonObject) =>
    (await explain(manifest, live, spec)).find((line) => line.startsWith('ConfigMap')) ?? '';
  assert.match(await said(ending), /: Being deleted: weeder waits for the end of the deletion$/);
  assert.match(await said(undefined), /: Missing: not created yet {2}→ corrected immediately/);
  const pausedUntil = '2026-11-21T18:00:00Z';
  assert.match(await said(undefined, { pausedUntil }), /→ not corrected until 2026-11-21T18:00:00Z$/);
  const named = of('ConfigMap', { '\u001b[31m': '1' });
  assert.ok(!(await explain(named, labelled(named))).join('\n').includes('\u001b'));
});

test('outside of maintenance windows drift is not corrected now, and what was never applied is applied', async () => {
  const manifest = of('ConfigMap', { a: '1' });
  const atSix = [{ cron: '0 18 * * *', timeZone: 'UTC', duration: 3_600_000 }];
  const atTwo = [{ cron: '0 14 * * *', timeZone: 'UTC', duration: 3_600_000 }];
  const object = { ...manifest, metadata: { name: 'one', namespace: 'shop' } };
  const hash = hashManifest({ apiVersion: 'v1', object }, { type: 'leaf' });
  const row = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', namespace: 'shop', appliedUid: 'r', hash };
  const status = { resources: [{ ...row, state: 'Drifted', drifts: [] }] };
  const drifted = labelled(of('ConfigMap', { a: '2' }));
  const said = async (live: JsonObject | undefined, circumstances: Circumstances) =>
    (await explain(manifest, live, {}, circumstances)).find((line) => line.startsWith('ConfigMap')) ?? '';
  assert.match(
    await said(drifted, { status, windows: atSix }),
    /Drifted: 1 field {2}→ not corrected now: no maintenance window is open, the next opens at 2026-11-21T18:00:00Z/,
  );
  assert.match(await said(drifted, { status, windows: atTwo }), /→ corrected immediately/);
  assert.match(await said(undefined, { windows: atSix }), /→ corrected immediately/);
});

test('an error of the whole spec is shown with its path, and no request is sent for resources', async () => {
  const lines = await explain(of('ConfigMap', {}), undefined, { resyncPeriod: '1s' });
  assert.match(lines.join('\n'), /^ {2}error in spec\.resyncPeriod: .*$/m);
  assert.ok(lines.includes('  → correct the errors; nothing is deleted while there are any'));
  assert.ok(!lines.some((line) => line.startsWith('ConfigMap')));
});

test('for a refused manifest explain shows the difference to what was applied before, from the status', async () => {
  const drifts = [{ path: '.data.a', type: 'Changed', desired: '"0"', found: '"2"' }];
  const row = {
    apiVersion: 'v1',
    name: 'one',
    namespace: 'shop',
    hash: 'another',
    appliedUid: 'u',
    state: 'Drifted',
    drifts,
  };
  for (const kind of ['ConfigMap', 'Secret']) {
    const lines = await explain(
      of(kind, { a: 'x' }),
      labelled(of(kind, { a: 'eA==' })),
      {},
      {
        status: { resources: [{ ...row, kind }] },
        refuses: true,
      },
    );
    assert.ok(lines.includes(`${kind} shop/one: its manifest is refused: No such field.`), lines.join('\n'));
    const shown = lines.slice(lines.indexOf('  drifted before this check, according to the status:') + 1);
    assert.deepEqual(shown, kind === 'Secret' ? ['  ! .data.a: changed'] : ['  - .data.a: "0"', '  + .data.a: "2"']);
  }
  const refused = { ...row, kind: 'ConfigMap', state: 'Refused', drifts: [] };
  const live = labelled(of('ConfigMap', { a: '0' }));
  const lines = await explain(of('ConfigMap', { a: '1' }), live, {}, { status: { resources: [refused] } });
  assert.ok(
    lines.includes('ConfigMap shop/one: Refused: its manifest is not applied, and is retried every five minutes'),
    lines.join('\n'),
  );
  assert.ok(!lines.join('\n').includes('according to the status'));
});

test('the first line has the state of the application in words: the worst of its status and of what is found', async () => {
  const manifest = of('ConfigMap', { a: '1' });
  const wordOf = async (live: JsonObject | undefined, ready: string | undefined, spec: JsonObject = {}) => {
    const condition = { type: 'Ready', status: ready === 'AsApplied' ? 'True' : 'False', reason: ready ?? '' };
    const row = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'one', appliedUid: 'r' };
    const status = ready === undefined ? {} : { conditions: [condition], resources: [row] };
    const [first = ''] = await explain(manifest, live, spec, { status });
    return /^Application shop\/web: ([^,]+), mode /.exec(first)?.[1];
  };
  const same = labelled(of('ConfigMap', { a: '1' }));
  assert.equal(await wordOf(same, undefined), 'Not applied yet');
  assert.equal(await wordOf(undefined, 'AsApplied'), 'Missing');
  assert.equal(await wordOf(same, 'CorrectionBackOff'), 'Correction back-off');
  assert.equal(await wordOf(undefined, 'Refused'), 'Refused');
  assert.equal(await wordOf(same, 'Refused', { pausedUntil: '2027-01-01T00:00:00Z' }), 'Paused');
});
