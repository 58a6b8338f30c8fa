import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure } from '../../src/client/describeFailure.ts';
import { classify, classifyStatus, type FailureType } from '../../src/client/failure.ts';
import { isRecoverable } from '../../src/client/failureClass.ts';
import { statusBody } from '../../testing/faultyServer.ts';

const now = Date.UTC(2026, 10, 21);

test('each status has one failure kind, and the kind decides whether it is retried', () => {
  const expected: Readonly<Record<number, readonly [FailureType, boolean]>> = {
    400: ['rejected', false],
    401: ['unauthorized', true],
    403: ['forbidden', true],
    404: ['notFound', false],
    405: ['rejected', false],
    409: ['conflict', false],
    410: ['expired', false],
    415: ['rejected', false],
    422: ['invalid', true],
    429: ['throttled', true],
    500: ['unavailable', true],
    503: ['unavailable', true],
    504: ['unavailable', true],
  };
  for (const [status, [kind, again]] of Object.entries(expected)) {
    const failure = classify(Number(status), {}, statusBody(Number(status), 'Some', 'why not'), now);
    assert.equal(failure.type, kind, status);
    assert.equal(isRecoverable(failure), again, status);
    assert.equal(failure.message, 'why not');
    assert.equal(failure.reason, 'Some');
  }
  for (const type of ['network', 'timeout', 'badAnswer', 'credentials'] as const)
    assert(isRecoverable({ type, message: '' }));
  assert.equal(isRecoverable({ type: 'cancelled', message: '' }), false);
});

test("a 404 that is not the API server's own does not mean that an object is missing", () => {
  assert.equal(classify(404, {}, '<html><body>nginx</body></html>', now).type, 'badAnswer');
  assert.equal(classify(404, {}, '404 page not found\n', now).type, 'badAnswer');
  assert.equal(classify(302, {}, '', now).type, 'badAnswer');
});

test('the object of a failure is known if the server names it with its type', () => {
  const of = (details: object) => classify(404, {}, JSON.stringify({ kind: 'Status', code: 404, details }), now).about;
  assert.deepEqual(of({ group: 'apps', kind: 'deployments', name: 'web' }), {
    group: 'apps',
    kind: 'deployments',
    name: 'web',
  });
  assert.deepEqual(of({ kind: 'configmaps', name: 'a' }), { group: '', kind: 'configmaps', name: 'a' });
  for (const details of [{}, { kind: 'configmaps' }, { kind: 'configmaps', name: '' }, { name: 3 }])
    assert.equal(of(details), undefined, JSON.stringify(details));
});

test('the causes of a failure have their field, and a message if there is one', () => {
  const conflict = { reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "w"' };
  const body = JSON.stringify({ kind: 'Status', code: 409, details: { causes: [conflict, { message: 3 }, null] } });
  assert.deepEqual(classify(409, {}, body, now).causes, [
    conflict,
    { reason: '', field: '' },
    { reason: '', field: '' },
  ]);
});

test('Retry-After is read as seconds, as a date, and from the Status', () => {
  const wait = (value: string) => classify(429, { 'retry-after': value }, '', now).retryAfterMs;
  assert.equal(wait('7'), 7_000);
  assert.equal(wait('Sat, 21 Nov 2026 00:00:05 GMT'), 5_000);
  assert.equal(wait('Sat, 21 Nov 2020 00:00:05 GMT'), 0);
  for (const nonsense of ['soon', '-1', '1e9', '']) assert.equal(wait(nonsense), undefined, nonsense);
  const body = JSON.stringify({ kind: 'Status', code: 429, details: { retryAfterSeconds: 3 } });
  assert.equal(classify(429, {}, body, now).retryAfterMs, 3_000);
  const asking = (seconds: number) =>
    JSON.stringify({ kind: 'Status', code: 429, details: { retryAfterSeconds: seconds } });
  for (const retryAfter of ['3601', '9999999', '999999999', 'Wed, 21 Oct 9999 07:28:00 GMT']) {
    assert.equal(wait(retryAfter), 3_600_000, `${retryAfter}: at most an hour, which a timer can count`);
  }
  assert.equal(classify(429, {}, asking(1e308), now).retryAfterMs, 3_600_000);
});

test('an ERROR event is classified by its code, and without one it is a bad answer', () => {
  assert.equal(classifyStatus({ kind: 'Status', code: 410, message: 'too old' }).type, 'expired');
  assert.equal(classifyStatus({ kind: 'Status' }).type, 'badAnswer');
  assert.equal(classifyStatus(null).type, 'badAnswer');
});

test('a missing permission to impersonate is reported as what to grant, also in the wording of newer servers', () => {
  const described = (message: string) =>
    describeFailure({ type: 'forbidden', status: 403, message }, 'https://10.0.0.1');
  const newer =
    'User "w" cannot impersonate-on:serviceaccount:patch resource "configmaps" in API group "" in the namespace "a"';
  assert.ok(
    described(`configmaps "one" is forbidden: ${newer}`).endsWith(
      'Grant it in a ClusterRole, or in a Role in the namespace of the account: {apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"]}.',
    ),
  );
  const older = 'User "w" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "b"';
  assert.ok(
    described(`serviceaccounts "default" is forbidden: ${older}`).endsWith(
      'Grant it in a Role in namespace b: {apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"]}.',
    ),
  );
});

test('a refused eviction names the disruption budget, and only a limited request is to be sent later', () => {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const said = (causes: readonly object[]) =>
    describeFailure(
      classify(429, {}, JSON.stringify({ kind: 'Status', message, details: { causes } }), now),
      'https://s',
    );
  const cause = {
    reason: 'DisruptionBudget',
    message: 'The disruption budget web needs 1 healthy pods and has 1 currently',
  };
  assert.equal(said([cause]), `https://s refused (429): ${message} ${cause.message}.`);
  assert.equal(said([]), `https://s refused (429): ${message} The server limits requests: retry later.`);
});

test('the message says which server, what happened and what to do', () => {
  const server = 'https://10.0.0.1';
  const denied = 'pods is forbidden: User "w" cannot delete resource "pods" in API group "" in the namespace "a"';
  assert.equal(
    describeFailure({ type: 'forbidden', status: 403, message: denied }, server),
    `https://10.0.0.1 refused (403): ${denied}. Grant it in a Role in namespace a: {apiGroups: [""], resources: ["pods"], verbs: ["delete"]}.`,
  );
  const verbs = ['watch', 'patch'].map((verb) => {
    const message = `configmaps "one" is forbidden: User "w" cannot ${verb} resource "configmaps" in API group "" in the namespace "a"`;
    return describeFailure({ type: 'forbidden', status: 403, message }, server).split(': {')[1];
  });
  assert.deepEqual(verbs, [
    'apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["watch"]}.',
    'apiGroups: [""], resources: ["configmaps"], verbs: ["patch"]}.',
  ]);
  assert.match(
    describeFailure({ type: 'unauthorized', status: 401, message: 'Unauthorized' }, server),
    /does not accept the credentials \(401\): Unauthorized\. The credentials are wrong or have expired/,
  );
  assert.match(
    describeFailure({ type: 'timeout', message: 'no data was received for 10 s' }, server),
    /^https:\/\/10\.0\.0\.1 did not answer in time: no data was received for 10 s\. /,
  );
});
