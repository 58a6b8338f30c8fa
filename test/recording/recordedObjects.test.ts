import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '../../src/recording/events.ts';

test('the object of a recorded event is named as on the live page', () => {
  const named = (out: string, about: string) => objectOf({ out, about, detail: '' });
  assert.equal(named('pod.deleted', 'shop/db'), 'shop/db');
  assert.equal(named('workload.restarted', 'statefulset/shop/web'), 'StatefulSet shop/web');
  assert.equal(named('eviction.requested', 'shop/web-1'), 'shop/web-1');
  assert.equal(named('resource.corrected', 'shop/web ConfigMap shop/settings'), 'Application shop/web');
  assert.equal(named('actor.failed', 'deployment/shop/web/rollout'), 'deployment/shop/web/rollout');
});
