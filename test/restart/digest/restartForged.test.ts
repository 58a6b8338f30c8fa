import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { hashKeyOf, hashKeysOf } from '../../../src/restart/digest/hashKeys.ts';
import {
  copyOfJob,
  isTrustedCopy,
  type JobCopy,
  jobFromCopy,
  readJobCopy,
} from '../../../src/restart/requests/jobCopy.ts';
import { restartConfig, settings } from '../../support/objects/restartSettings.ts';
import { jobWorld } from '../../support/world/jobWorld.ts';
import { configMap, restartWorld, stateOn, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
const plain = restartConfig();
const recreate: RestartConfig = { ...plain, rules: plain.rules.map((rule) => ({ ...rule, jobs: 'recreate' })) };
/** The same key as in the two simulated worlds. */
const key = hashKeyOf(Buffer.alloc(32, 7));
const keys = hashKeysOf(key, [key]);
const stolen = '0f7f4c3e-0000-4000-8000-000000000000';
const evil = JSON.stringify({ metadata: {}, spec: { template: { spec: { hostPID: true, containers: [] } } } });

function copied(job: object): { readonly copy: JobCopy; readonly object: JsonObject } {
  const metadata = { namespace: 'shop', name: 'once', uid: stolen, resourceVersion: '7' };
  const { copy, object } = copyOfJob({ metadata, ...job }, 'state', key);
  const storedCopy = { ...object, metadata: { ...objectOf(object['metadata']), uid: 'copy', resourceVersion: '8' } };
  return { copy, object: storedCopy };
}

function annotated(copy: JsonObject, annotations: Readonly<Record<string, string>>, more: object = {}): JsonObject {
  const metadata = objectOf(copy['metadata']);
  return {
    ...copy,
    metadata: { ...metadata, ...more, annotations: { ...objectOf(metadata['annotations']), ...annotations } },
  };
}

test('a copy is weeder’s only if its seal covers this Job, namespace and content with weeder’s key', () => {
  const { copy: read, object: copy } = copied({ spec: { template: {} } });
  const isTrusted = (object: JsonObject) => {
    const jobCopy = readJobCopy(object);
    return jobCopy !== undefined && isTrustedCopy(jobCopy, keys);
  };
  assert.equal(isTrusted(copy), true);
  assert.deepEqual(readJobCopy(copy), read);
  const value = String(objectOf(objectOf(copy['metadata'])['annotations'])['weeder.dev/recreates']);
  const [, , , , seal = ''] = value.split('/');
  for (const [what, forged] of Object.entries({
    'another content': annotated(copy, { 'weeder.dev/recreates-with': evil }),
    'another Job': annotated(copy, { 'weeder.dev/recreates': value.replace('once', 'twice') }),
    'another version': annotated(copy, { 'weeder.dev/recreates': value.replace('/7/', '/9/') }),
    'another namespace': annotated(copy, {}, { namespace: 'bank' }),
    'another seal': annotated(copy, { 'weeder.dev/recreates': value.replace(seal, 'A'.repeat(22)) }),
    'no seal': annotated(copy, { 'weeder.dev/recreates': value.replace(`/${seal}`, '') }),
    'another name': annotated(copy, {}, { name: 'weeder-recreates-other' }),
  }))
    assert.equal(isTrusted(forged), false, what);
});

test('a Job is recreated only from the sealed content, from no other part of the copy', () => {
  const { copy: read, object: copy } = copied({
    spec: { parallelism: 3, template: { spec: { containers: [{ name: 'a' }] } } },
  });
  const swapped = {
    ...annotated(copy, {}, { labels: { their: 'label' }, ownerReferences: [{ uid: 'their' }] }),
    spec: { template: { spec: { hostPID: true } } },
  };
  assert.deepEqual(jobFromCopy(swapped, read), {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { annotations: { 'weeder.dev/dependencies': 'state' }, namespace: 'shop', name: 'once' },
    spec: { parallelism: 3, template: { metadata: { labels: {} }, spec: { containers: [{ name: 'a' }] } } },
  });
  assert.equal(jobFromCopy(annotated(copy, { 'weeder.dev/recreates-with': evil }), read), undefined);
});

for (const [which, config] of [
  ['with', recreate],
  ['without', plain],
] as const) {
  test(`${which} a rule that recreates Jobs, a forged copy creates no Job, and is reported once`, async () => {
    const world = await jobWorld(config);
    const seals = ['', `/${key.id}/${'A'.repeat(22)}`];
    for (const [index, seal] of seals.entries()) {
      const uid = `${stolen}${index}`;
      const annotations = { 'weeder.dev/recreates': `evil/${uid}/1${seal}`, 'weeder.dev/recreates-with': evil };
      world.putJob(`weeder-recreates-${uid}`, { metadata: { annotations } });
    }
    const names = [...world.names];
    await world.pass(5 * minute);
    assert.deepEqual(world.names, names);
    assert.equal(world.eventsOf('workload.recreated').length, 0);
    assert.deepEqual(
      world.writes.filter((write) => !write.startsWith('PATCH')),
      [],
    );
    const reported = world
      .eventsOf('annotation.unreadable')
      .map(({ annotation, workload }) => [annotation, workload.name]);
    assert.deepEqual(reported, [['weeder.dev/recreates', `weeder-recreates-${stolen}1`]]);
  });
}

test('a copy that another client modifies while its Job is absent creates no Job', async () => {
  const world = await jobWorld(recreate);
  world.putSource({ a: '1' });
  await world.pass(10 * second);
  world.putJob('once');
  await world.pass(10 * second);
  const uid = objectOf(world.job('once')?.['metadata'])['uid'];
  world.ending = 10 * second;
  world.putSource({ a: '2' });
  await world.pass(settings.quietPeriod + 5 * second);
  world.patchJob(`weeder-recreates-${uid}`, { metadata: { annotations: { 'weeder.dev/recreates-with': evil } } });
  await world.pass(5 * minute);
  assert.deepEqual(world.names, [`weeder-recreates-${uid}`]);
  assert.equal(world.eventsOf('annotation.unreadable').length, 1);
});

test('a forged annotation that claims weeder has scaled a workload to zero does not scale it', async () => {
  for (const seal of ['', `/${key.id}/${'A'.repeat(22)}`, '/unknown1/AAAA']) {
    const world = await restartWorld(plain);
    world.putWorkload('web', withEnv('settings', 'a'), { annotations: { 'weeder.dev/restart-on-change': 'false' } });
    const annotations = { 'weeder.dev/emptied': `${objectOf(world.workload('web')['metadata'])['uid']}/7${seal}` };
    world.change('web', { metadata: { annotations }, spec: { replicas: 0 } });
    await world.pass(5 * minute);
    assert.equal(objectOf(world.workload('web')['spec'])['replicas'], 0, seal);
    assert.equal(world.eventsOf('annotation.unreadable').length, seal === '' ? 0 : 1, seal);
  }
});

test('a state written by another client is not trusted: the workload is adopted again, and nothing restarts', async () => {
  const world = await restartWorld(plain);
  const source = configMap('settings');
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  const real = String(stateOn(world.workload('web')));
  const forged = real.replace(/"configmap\/[^"]+":\["[^"]+"/, (text) =>
    text.replace(/\["[^"]+"/, '["AAAAAAAAAAAAAAAAAAAAAA"'),
  );
  assert.notEqual(forged, real);
  world.annotate('web', { 'weeder.dev/dependencies': forged });
  await world.pass(5 * minute);
  assert.deepEqual(world.rollouts, []);
  assert.equal(world.eventsOf('annotation.unreadable').length, 1);
  assert.equal(stateOn(world.workload('web')), real);
});
