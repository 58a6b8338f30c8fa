import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsLabel, labelKey, labelValue } from '@weeder/kube-runtime/objects';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { annotationName, labelName, ownerOf } from '../../../src/observer/objects/fieldManagers.ts';

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);

test('the managers and the label of an application fit the API server’s limits, however long its name', () => {
  fc.assert(
    fc.property(name, fc.array(name, { minLength: 1, maxLength: 4 }), (namespace, parts) => {
      const { own, init, label } = ownerOf({ namespace, name: parts.join('.') });
      assert.ok(Buffer.byteLength(own) <= 128 && Buffer.byteLength(init) <= 128);
      assert.match(label, labelValue.pattern);
      assert.match(label, dnsLabel.pattern);
    }),
    propertyRuns(200),
  );
  for (const key of [labelName, annotationName]) assert.match(key, labelKey.pattern);
});

test('two applications never share a manager, even if namespace and name concatenate equally', () => {
  const owners = [
    { namespace: 'a', name: 'b-c' },
    { namespace: 'a-b', name: 'c' },
    { namespace: 'a', name: 'b.c' },
    { namespace: 'b', name: 'a' },
    { namespace: 'a', name: 'b' },
  ].map(ownerOf);
  assert.equal(new Set(owners.flatMap(({ own, init }) => [own, init])).size, 2 * owners.length);
});

// A version of weeder that generated other names would own nothing of the existing objects.
test('an application always has the same managers, and a readable name', () => {
  const web = { namespace: 'shop', name: 'web' };
  assert.deepEqual(ownerOf(web), ownerOf({ ...web }));
  assert.deepEqual(ownerOf(web), {
    own: 'weeder:97375646b1deb3d2d5c406cd15750035f52a38be',
    init: 'weeder-init:97375646b1deb3d2d5c406cd15750035f52a38be',
    label: '97375646b1deb3d2d5c406cd15750035f52a38be',
    name: 'shop/web',
  });
});
