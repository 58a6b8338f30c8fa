import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkloadSinks, type WorkloadUpdate } from '../../../src/restart/workload/workloadSinks.ts';
import { workloadObject } from '../../support/objects/workloadObjects.ts';

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
