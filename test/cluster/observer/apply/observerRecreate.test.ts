import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad, good, type PlanOptions } from '../../support/observer/applying.ts';
import { customKind } from '../../support/observer/customKind.ts';
import { at } from '../../support/observer/observedObjects.ts';

const text = { type: 'string' };
const rule = (condition: string, message?: string) => ({
  ...text,
  'x-kubernetes-validations': [message === undefined ? { rule: condition } : { rule: condition, message }],
});

/** The words of these refusals are of the author of the definition, or of the API server. */
const fields = {
  value: rule('self == oldSelf', 'Value is immutable'),
  zone: rule('self == oldSelf', 'zone is immutable once set'),
  silent: rule('self == oldSelf'),
  short: rule('size(self) < 5'),
  free: text,
};

async function setWidgets(it: Applying) {
  const kind = customKind(it.ns);
  await kind.define(fields);
  const uidOf = async () => at(await it.ns.cluster.api('GET', kind.pathOf('ours')), 'metadata', 'uid');
  return {
    kind,
    uidOf,
    async made(spec: JsonObject, options: PlanOptions = {}) {
      const plan = await it.plan(kind.object('ours', spec), options);
      good(await it.api.create(plan, it.signal));
      return { plan, uid: await uidOf() };
    },
    async updated(spec: JsonObject, options: PlanOptions) {
      const plan = await it.plan(kind.object('ours', spec), options);
      return it.api.update(plan, await it.live(plan), it.signal);
    },
    delete: () => it.ns.cluster.api('DELETE', kind.pathOf('ours')),
  };
}

suite('a change that the API server refuses in an object that `recreate` names', { concurrency: true }, () => {
  test('recreates it if a new object would be accepted, whatever the words of the refusal', async (t) => {
    const it = await applying(t, 'recreated');
    const widgets = await setWidgets(it);
    for (const observed of [undefined, { spec: { free: 'observed' } }])
      for (const field of ['value', 'zone', 'silent']) {
        const options = observed === undefined ? {} : { observed };
        const { plan: before, uid } = await widgets.made({ [field]: 'one', free: 'one' }, options);
        const desired = { [field]: 'two', free: 'two' };
        const refused = bad(await widgets.updated(desired, { ...options, before }));
        assert.deepEqual(refused.fields, [`spec.${field}`], refused.reason);
        assert.equal(await widgets.uidOf(), uid, 'without permission it stays');
        good(await widgets.updated(desired, { ...options, before, mayRecreate: true }));
        assert.notEqual(await widgets.uidOf(), uid);
        assert.deepEqual(await widgets.kind.specOf('ours'), desired);
        await widgets.delete();
      }
  });

  test('never deletes it if a new object would be refused as well', async (t) => {
    const it = await applying(t, 'kept');
    const widgets = await setWidgets(it);
    const { plan: before, uid } = await widgets.made({ short: 'one', value: 'one' });
    for (const wrong of [
      { short: 'too long', value: 'one' },
      { short: 'too long', value: 'two' },
    ]) {
      const failure = bad(await widgets.updated(wrong, { before, mayRecreate: true }));
      assert.equal(failure.type, 'permanent');
      assert.match(failure.reason, /spec\.short: size\(self\) < 5/);
      assert.equal(await widgets.uidOf(), uid);
    }
    assert.deepEqual(await widgets.kind.specOf('ours'), { short: 'one', value: 'one' });
  });

  test('never deletes a built-in object for a new one that would be refused', async (t) => {
    const it = await applying(t, 'kept-job');
    const job = (image: string, restartPolicy: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'ours' },
      spec: { template: { spec: { containers: [{ name: 'a', image }], restartPolicy } } },
    });
    const before = await it.plan(job('registry.invalid/a:1', 'Never'));
    good(await it.api.create(before, it.signal));
    const uid = at(await it.live(before), 'metadata', 'uid');
    const wrong = await it.plan(job('registry.invalid/a:2', 'Always'), { before, mayRecreate: true });
    bad(await it.api.update(wrong, await it.live(before), it.signal));
    assert.equal(at(await it.live(before), 'metadata', 'uid'), uid);
    assert.equal(at(await it.live(before), 'metadata', 'deletionTimestamp'), undefined);
  });

  test('recreates a Service that has the port of the new one', async (t) => {
    const it = await applying(t, 'same-port');
    const service = (more: JsonObject) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'ours' },
      spec: {
        type: 'NodePort',
        ports: [{ port: 80, ...more }],
        ...(more['nodePort'] === undefined ? {} : { clusterIP: '10.96.231.77' }),
      },
    });
    const before = await it.plan(service({}));
    good(await it.api.create(before, it.signal));
    const live = await it.live(before);
    const { nodePort } = objectOf(at(live, 'spec', 'ports', 0));
    assert.equal(typeof nodePort, 'number');
    const next = await it.plan(service({ nodePort }), { before, mayRecreate: true });
    const outcome = await it.api.update(next, live, it.signal);
    // The API server releases the port of the old Service a moment later.
    if (!outcome.ok) assert.equal(outcome.failure.isTaken, true, outcome.failure.reason);
    const there = await it.ns.cluster.send('GET', next.target.path);
    assert.notEqual(at(there.body, 'metadata', 'uid'), at(live, 'metadata', 'uid'));
  });

  test('says which quota keeps it, and recreates it once the quota allows a new object', async (t) => {
    const it = await applying(t, 'quota');
    const settings = (data: JsonObject) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'ours' },
      immutable: true,
      data,
    });
    const before = await it.plan(settings({ a: 'MQ==' }));
    good(await it.api.create(before, it.signal));
    const uid = at(await it.live(before), 'metadata', 'uid');
    const quota = await it.plan({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few' },
      spec: { hard: { secrets: '0' } },
    });
    await it.ns.cluster.api('POST', quota.target.collection, quota.manifest.object);
    const status = { hard: { secrets: '0' }, used: { secrets: '1' } };
    await it.edit(quota, { status }, { subresource: 'status' });
    const other = await it.plan({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other' } });
    const trial = () =>
      it.ns.cluster.send('POST', `${other.target.collection}?dryRun=All`, { body: other.manifest.object });
    await eventually(async () => (await trial()).status === 403, { what: 'the enforced quota' });
    const update = async () => {
      const next = await it.plan(settings({ a: 'Mg==' }), { before, mayRecreate: true });
      return it.api.update(next, await it.live(before), it.signal);
    };
    assert.match(bad(await update()).reason, /It is not recreated: .*ResourceQuota few is exceeded/);
    assert.equal(at(await it.live(before), 'metadata', 'uid'), uid);
    await it.ns.cluster.api('DELETE', quota.target.path);
    await eventually(async () => (await update()).ok, { what: 'the new object' });
    assert.notEqual(at(await it.live(before), 'metadata', 'uid'), uid);
  });
});
