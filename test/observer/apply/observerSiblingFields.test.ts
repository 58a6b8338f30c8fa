import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { causePathsOf, concerns } from '../../../src/observer/objects/causePath.ts';
import { ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { pathText } from '../../../src/observer/objects/path.ts';
import { unknownNode } from '../../../src/observer/objects/schemaNode.ts';
import { keepLive } from '../../../src/observer/ownership/keptFields.ts';
import { siblingFieldsIn } from '../../../src/observer/ownership/siblingFields.ts';

const owner = ownerOf({ namespace: 'shop', name: 'web' });

function siblings(live: JsonObject, object: JsonObject, ...causes: readonly string[]): readonly string[] {
  const identity = { group: '', kind: 'Thing', namespace: 'shop', name: 'a' };
  const plan = { manifest: { identity, apiVersion: 'v1', object }, topology: unknownNode, owner };
  return siblingFieldsIn(live, object, plan, causes).map(pathText);
}

suite('the fields that may exclude refused ones', () => {
  const manifest = { spec: { probe: { tcp: 1 }, image: 'a', other: { x: 1 } } };
  const live = { spec: { probe: { exec: 1, delay: 2 }, image: 'b', other: { x: 1, y: 2 }, extra: 1 } };

  test('are one if a cause has its name, and all in the map if it names the map or the refused field', () => {
    assert.deepEqual(siblings(live, manifest, 'spec.probe.exec'), ['.spec.probe.exec']);
    for (const cause of ['spec.probe', 'spec.probe.tcp', 'spec.probe.tcp.port', 'spec.probe.unknown'])
      assert.deepEqual(siblings(live, manifest, cause), ['.spec.probe.exec', '.spec.probe.delay'], cause);
  });

  test('are not in a map where nothing changes, or that no cause is about', () => {
    assert.deepEqual(siblings(live, manifest, 'spec.other'), []);
    assert.deepEqual(siblings(live, manifest, 'spec.image'), ['.spec.extra']);
    assert.deepEqual(siblings(live, manifest, 'spec.other.x'), []);
  });

  test('are in every changed map without a path, but never labels, annotations or the status', () => {
    const before = { metadata: { labels: { theirs: '1', ours: '2' } }, status: { a: 1 }, ...live };
    const desired = { metadata: { labels: { ours: '1' } }, ...manifest };
    const paths = ['.spec.extra', '.spec.probe.exec', '.spec.probe.delay'];
    for (const causes of [[], ['<nil>']]) assert.deepEqual(siblings(before, desired, ...causes), paths);
  });
});

test('a cause is about what it names, its parts, and what contains it; positions are not compared', () => {
  const [cause = []] = causePathsOf(['spec.containers[3].env[0].value']);
  const path = (...fields: readonly string[]) => fields.map((field) => (field === '' ? { index: 0 } : { field }));
  assert(concerns(cause, path('spec', 'containers', '', 'env', '', 'value')));
  assert(concerns(cause, path('spec', 'containers')));
  assert(concerns(cause, path('spec', 'containers', '', 'env', '', 'value', 'deeper')));
  assert(!concerns(cause, path('spec', 'containers', '', 'image')));
  assert(concerns(causePathsOf(['metadata.labels[a.b/c]'])[0] ?? [], path('metadata', 'labels', 'a.b/c')));
});

test('a kept field has its live value, also if that is absent, and the others are as desired', () => {
  const live = { metadata: { resourceVersion: '7' }, spec: { size: 2, image: 'b', list: [1, 2] } };
  const body = { metadata: { name: 'a' }, spec: { size: 1, image: 'a', list: [1], gone: { x: 1, y: 2 } } };
  const plan = { kept: new Set(['.spec.size', '.spec.gone.x', '.spec.list']), topology: unknownNode };
  assert.deepEqual(keepLive(body, live, plan), {
    metadata: { name: 'a', resourceVersion: '7' },
    spec: { size: 2, image: 'a', list: [1, 2] },
  });
  assert.equal(keepLive(body, live, { topology: unknownNode }), body);
});
