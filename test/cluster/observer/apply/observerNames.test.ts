import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { readSpec } from '../../../../src/observer/spec/readApplication.ts';
import { applying, bad, good } from '../../support/observer/applying.ts';
import { at, untilAbsent } from '../../support/observer/observedObjects.ts';
import { oneOfEachKind } from '../../support/observer/oneOfEachKind.ts';

/** The built-in kinds that take names other than DNS names, beside kinds that are alpha or beta. */
const withOtherNames = [
  'CertificateSigningRequest',
  'ClusterRole',
  'ClusterRoleBinding',
  'Event',
  'IPAddress',
  'PodDisruptionBudget',
  'Role',
  'RoleBinding',
];

suite('names of built-in kinds, on a real API server', { concurrency: true }, () => {
  test('that the API server takes are applied, and others are refused by it with the field', async (t) => {
    const it = await applying(t, 'names');
    const suffix = it.ns.name.replace(/^.*-/, '').slice(0, 4);
    const names = [`Names of ${it.ns.name}:+?#`, `2001:db8::${Number.parseInt(suffix, 36) % 9_999}`];
    const objects = await oneOfEachKind(it.ns.cluster, it.ns.name, it.ns.name);
    const taken = new Set<string>();
    for (const object of objects)
      for (const name of names) {
        const named = { ...object, metadata: { ...objectOf(object['metadata']), name } };
        const kind = String(object['kind']);
        const { spec, errors } = readSpec({ manifests: [named] }, { namespace: it.ns.name, name: 'web' });
        assert.deepEqual(errors, [], kind);
        const plan = await it.plan(objectOf(spec.manifests[0]?.object));
        const path = `${plan.target.collection}/${encodeURIComponent(name)}`;
        const target = { ...plan.target, path };
        const answer = await it.ns.cluster.send('POST', `${target.collection}?dryRun=All`, {
          body: plan.manifest.object,
        });
        const causes = JSON.stringify(answer.body);
        if (answer.status !== 201) {
          assert.match(causes, /metadata\.name|\\"name\\"|metadata\.namespace|spec/, `${kind} ${answer.status}`);
          continue;
        }
        taken.add(kind);
        it.ns.after(() => it.ns.cluster.send('DELETE', path));
        good(await it.api.create({ ...plan, target }, it.signal));
        assert.equal(at(await it.ns.cluster.api('GET', path), 'metadata', 'name'), name);
        good(await it.api.dryRunApply({ ...plan, target }, it.signal));
        good(
          await it.api.delete(
            target,
            it.owner,
            textOf(at(await it.ns.cluster.api('GET', path), 'metadata', 'uid')),
            it.signal,
          ),
        );
        await untilAbsent(it.ns.cluster, path, `the end of ${kind}`);
      }
    assert.deepEqual([...taken].toSorted(), withOtherNames);
  });

  test('that the API server does not take are refused with its own words', async (t) => {
    const it = await applying(t, 'names');
    const plan = await it.plan({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Big_Name' } });
    const failure = bad(await it.api.create(plan, it.signal));
    assert.deepEqual([failure.type, failure.fields], ['permanent', ['metadata.name']]);
    assert.match(failure.reason, /lowercase RFC 1123 subdomain/);
  });
});
