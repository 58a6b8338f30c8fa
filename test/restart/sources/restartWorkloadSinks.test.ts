import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { templateHashOf } from '../../../src/restart/references/podTemplate.ts';
import { createWorkloadSinks, readUpdate, type WorkloadUpdate } from '../../../src/restart/workload/workloadSinks.ts';
import { template, workloadObject } from '../../support/objects/workloadObjects.ts';

const web = (resourceVersion: string, uid = 'u-web') =>
  workloadObject('Deployment', { metadata: { resourceVersion, uid } });

/** A sink, the calls of its listener, and the versions that the listener knows from them. */
function listening() {
  const updates = new Map<string, WorkloadUpdate>();
  const calls: string[] = [];
  const sinks = createWorkloadSinks({
    knows(id, { uid, resourceVersion }) {
      const summary = updates.get(id)?.summary;
      return summary?.uid === uid && summary.resourceVersion === resourceVersion;
    },
    take(update) {
      updates.set('deployment/shop/web', update);
      calls.push(`took ${update.summary.resourceVersion} of ${update.summary.uid}`);
    },
    rewound: (id) => calls.push(`rewound ${id}`),
    remove: (id) => calls.push(`removed ${id}`),
  });
  return { sink: sinks.create('Deployment'), calls };
}

test('a known version is not delivered again; a newer version and another object are', () => {
  const { sink, calls } = listening();
  for (const object of [web('7'), web('7'), web('8'), web('8', 'u-other')]) sink.apply('MODIFIED', object);
  assert.deepEqual(calls, ['took 7 of u-web', 'took 8 of u-web', 'took 8 of u-other']);
});

test('after a new list an unchanged workload remains, and one that the list does not have is removed', () => {
  const { sink, calls } = listening();
  sink.apply('ADDED', web('7'));
  sink.begin();
  sink.apply('ADDED', web('7'));
  sink.end('9');
  assert.deepEqual(calls, ['took 7 of u-web']);
  sink.begin();
  sink.end('10');
  assert.deepEqual(calls, ['took 7 of u-web', 'removed deployment/shop/web']);
});

test('a deleted workload is removed, even though its version is known', () => {
  const { sink, calls } = listening();
  sink.apply('ADDED', web('7'));
  sink.apply('DELETED', web('7'));
  assert.deepEqual(calls, ['took 7 of u-web', 'removed deployment/shop/web']);
});

test('the workloads of a stream that was rewound are reported, and no others', () => {
  const { sink, calls } = listening();
  sink.apply('ADDED', web('7'));
  sink.rewound?.();
  sink.apply('DELETED', web('8'));
  sink.rewound?.();
  assert.deepEqual(
    calls.filter((call) => call.startsWith('rewound')),
    ['rewound deployment/shop/web'],
  );
});

/** A template that a CRD with unknown fields lets through: the API server reads ten thousand levels. */
function nested(levels: number): object {
  const value: unknown = JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`);
  return { ...template, extra: value };
}

test('a template that is nested ten thousand levels deep is read, and another one of them is another template', () => {
  const hashes = [9_990, 9_990, 9_992].map(
    (levels) => readUpdate(workloadObject('Deployment', { template: nested(levels) }), 'Deployment', [])?.summary,
  );
  const [one, same, other] = hashes.map((summary) => summary?.templateHash);
  assert.equal(one, same);
  assert.notEqual(one, other);
});

test('the hash of a template does not depend on the order of its keys, on nulls and on empty annotations', () => {
  const hashOf = (given: object) => templateHashOf(objectOf(given));
  const one = { metadata: { annotations: {} }, spec: { b: [1, null, { y: 'é', x: true }], a: 'x' } };
  const other = { spec: { a: 'x', b: [1, null, { x: true, y: 'é', z: null }] }, metadata: { annotations: {} } };
  assert.equal(hashOf(one), hashOf(other));
  assert.notEqual(hashOf(one), hashOf({ ...one, spec: { ...one.spec, b: [null, 1, { y: 'é', x: true }] } }));
  // Workloads keep hashes of earlier versions.
  assert.equal(hashOf(one), 'ke5xsroxZvopIxTGyhLV39');
});

test('a workload with more references than can be followed is left out, and is no longer managed by what was known', () => {
  const { sink, calls } = listening();
  const withReferences = (count: number) => {
    const env = Array.from({ length: count }, (_, index) => ({
      name: `A${index}`,
      valueFrom: { secretKeyRef: { name: 'db', key: `key-${index}` } },
    }));
    const metadata = { resourceVersion: String(count) };
    const containers = [{ name: 'main', env }];
    return workloadObject('Deployment', { metadata, template: { ...template, spec: { containers } } });
  };
  sink.apply('ADDED', withReferences(500));
  assert.throws(
    () => sink.apply('MODIFIED', withReferences(501)),
    /501 references to ConfigMaps and Secrets; at most 500/,
  );
  assert.deepEqual(calls, ['took 500 of u-web', 'removed deployment/shop/web']);
});
