import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiResult } from '@weeder/kube-runtime/client';
import { type ApiFailure, classify, classifyStatus, describeFailure, isRecoverable } from '@weeder/kube-runtime/client';
import { acquired, readLease, released } from '@weeder/kube-runtime/lease';
import { versionOf } from '@weeder/kube-runtime/objects';
import { assertMeets, clientOf, propertyRuns } from '@weeder/kube-runtime/testing';
import { listPages } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import { byteEdit, edited, editedBytes, valueEdit } from '../support/fuzz.ts';
import { backOff, pod, running } from '../support/objects/objects.ts';

const status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'too many requests',
  reason: 'TooManyRequests',
  details: { retryAfterSeconds: 3, causes: [{ reason: 'ResourceVersionTooLarge', message: 'm' }] },
  code: 429,
};
const edits = fc.array(valueEdit, { minLength: 1, maxLength: 3 });

function assertDecent(failure: ApiFailure): void {
  assert.ok(failure.message.length > 0);
  assert.equal(typeof failure.message, 'string');
  assert.equal(typeof isRecoverable(failure), 'boolean');
  const { retryAfterMs = 0 } = failure;
  assert.ok(retryAfterMs >= 0 && retryAfterMs < 2 ** 31, `${retryAfterMs} ms`);
  const sentence = describeFailure(failure, 'https://server');
  assert.match(sentence, /^(https:\/\/server |There are no credentials)/);
  assert.doesNotMatch(sentence, /undefined/);
}

test('any refusal is a failure with a sentence, and a pause that a timer accepts', () => {
  const retryAfter = fc.oneof(
    fc.constantFrom(
      undefined,
      '',
      '0',
      '1',
      '-1',
      '1e9',
      '999999999',
      '9999999999',
      'soon',
      'Wed, 21 Oct 9999 07:28:00 GMT',
    ),
    fc.constantFrom('Xyz, 1', 'Mon', 'Infinity', '1.5', ' 3 ', '0x10'),
    fc.array(fc.constantFrom('2', 'x'), { maxLength: 2 }),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), edits, retryAfter, (code, changes, header) => {
      const body = JSON.stringify(edited(status, changes)) ?? '';
      const headers = header === undefined ? {} : { 'retry-after': header };
      assertDecent(classify(code, headers, body, Date.UTC(2026, 0, 1)));
      assertDecent(classifyStatus(edited(status, changes)));
    }),
    propertyRuns(1000),
  );
});

test('a refusal of any bytes is a failure with a sentence', () => {
  const bytes = Buffer.from(JSON.stringify(status));
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), fc.array(byteEdit, { minLength: 1 }), (code, changes) => {
      assertDecent(classify(code, {}, editedBytes(bytes, changes).toString('utf8'), 0));
    }),
    propertyRuns(500),
  );
});

const page = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  items: [pod({ name: 'a', containers: [backOff(2)] }), pod({ name: 'b', containers: [running()] })],
};

test('with any value anywhere in a list, it is refused, or each object is accepted or reported as unreadable', () =>
  assertMeets({ taken: 20, refused: 20 }, 500, (met) =>
    fc.asyncProperty(edits, async (changes) => {
      const body = edited(page, changes);
      const objects: unknown[] = [];
      const sink = { begin() {}, apply: (_type: unknown, object: unknown) => void objects.push(object), end() {} };
      let calls = 0;
      let unreadable = 0;
      const onUnreadable = () => {
        unreadable += 1;
      };
      const call = async (): Promise<ApiResult> => {
        calls += 1;
        // Only the first page may name a next one, so that the list ends.
        return calls === 1 ? { ok: true, status: 200, body } : { ok: true, status: 200, body: page };
      };
      const source = { path: '/p', kind: 'Pod', labelSelector: '', sink, onUnreadable };
      const listed = await listPages(clientOf(call), source, signal);
      for (const object of objects) assert.notEqual(versionOf(object), undefined);
      if (listed.ok) {
        met.taken += 1;
        const { items } = objectOf(body);
        const count = Array.isArray(items) ? items.length : 0;
        assert.equal(objects.length + unreadable, count + (calls - 1) * page.items.length);
        assert.equal(listed.objects, objects.length + unreadable);
        assert.notEqual(listed.resourceVersion, '');
      } else {
        met.refused += 1;
        assert.equal(objects.length, 0);
        assertDecent(listed.failure);
      }
    }),
  ));

const { signal } = new AbortController();

test('with any content, a Lease has no holder, or one whose holder and times are known, and it can be written', () => {
  const election = {
    ...{ namespace: 'garden', name: 'weeder', identity: 'me' },
    ...{ leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 },
  };
  const time = '2026-01-01T00:00:00.000000Z';
  const lease = {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: 'weeder', namespace: 'garden', uid: 'u', resourceVersion: '4', labels: { a: 'b' } },
    spec: {
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 3,
    },
  };
  fc.assert(
    fc.property(edits, (changes) => {
      const record = readLease(edited(lease, changes), election);
      if (record === undefined) return;
      assert.equal(typeof record.holder, 'string');
      assert.ok(record.version.length > 0);
      assert.ok(Number.isFinite(record.heldFor) && record.heldFor > 0, `${record.heldFor} ms`);
    }),
    propertyRuns(500),
  );
  const counts = fc.oneof(fc.constantFrom(undefined, null, 2 ** 31 - 1), fc.nat(2 ** 31 - 1));
  fc.assert(
    fc.property(counts, fc.constantFrom('me', 'other', '', null), (leaseTransitions, holderIdentity) => {
      const record = readLease({ ...lease, spec: { ...lease.spec, leaseTransitions, holderIdentity } }, election);
      for (const written of [acquired(election, record, 0), acquired(election, undefined, 0)]) assertLease(written);
      if (record !== undefined) assertLease(released(election, record, 0));
    }),
    propertyRuns(500),
  );
});

/** As the API accepts it: int32 and RFC 3339. */
function assertLease(lease: unknown): void {
  const { spec, metadata } = objectOf(lease);
  const { leaseDurationSeconds, leaseTransitions, renewTime, holderIdentity } = objectOf(spec);
  assert.ok(isObject(metadata));
  for (const count of [leaseDurationSeconds, leaseTransitions ?? 0]) {
    assert.ok(Number.isInteger(count) && Number(count) >= 0 && Number(count) < 2 ** 31, String(count));
  }
  assert.match(String(renewTime), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/);
  assert.equal(typeof holderIdentity, 'string');
}
