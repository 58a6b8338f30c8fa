import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkloadSinks, type WorkloadUpdate } from '../../../src/restart/workload/workloadSinks.ts';
import { workloadObject } from '../../support/objects/workloadObjects.ts';

const web = (resourceVersion: string, uid = 'u-web') =>
  workloadObject('Deployment', { metadata: { resourceVersion, uid } });

/** A sink, the calls of its listener, and the versions that the listener knows from them. */
function listening() {
  const known = new Map<string, WorkloadUpdate>();
  const told: string[] = [];
  const sinks = createWorkloadSinks({
    knows(id, { uid, resourceVersion }) {
      const facts = known.get(id)?.facts;
      return facts?.uid === uid && facts.resourceVersion === resourceVersion;
    },
    take(news) {
      known.set('deployment/shop/web', news);
      told.push(`took ${news.facts.resourceVersion} of ${news.facts.uid}`);
    },
    remove: (id) => told.push(`removed ${id}`),
  });
  return { sink: sinks.create('Deployment'), told };
}

test('a version that is known already is not taken once more, a newer one and another object are', () => {
  const { sink, told } = listening();
  for (const object of [web('7'), web('7'), web('8'), web('8', 'u-other')]) sink.apply('MODIFIED', object);
  assert.deepEqual(told, ['took 7 of u-web', 'took 8 of u-web', 'took 8 of u-other']);
});

test('one that a new list has in the version that is known stays, one that it does not have is gone', () => {
  const { sink, told } = listening();
  sink.apply('ADDED', web('7'));
  sink.begin();
  sink.apply('ADDED', web('7'));
  sink.end('9');
  assert.deepEqual(told, ['took 7 of u-web']);
  sink.begin();
  sink.end('10');
  assert.deepEqual(told, ['took 7 of u-web', 'removed deployment/shop/web']);
});

test('one that is deleted is removed, though its version is known', () => {
  const { sink, told } = listening();
  sink.apply('ADDED', web('7'));
  sink.apply('DELETED', web('7'));
  assert.deepEqual(told, ['took 7 of u-web', 'removed deployment/shop/web']);
});
