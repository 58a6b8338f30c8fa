import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiFailure, classify, isDenied, refuserOf } from '@weeder/kube-runtime/client';
import { consequenceOf } from '@weeder/kube-runtime/events';
import { confidential } from '../../src/restart/references/answer.ts';

function answer(code: number, message: string, details: object = {}): ApiFailure {
  return classify(code, {}, JSON.stringify({ kind: 'Status', code, message, details }), 0);
}

const value = 'hunter2';
const permission = answer(
  403,
  'secrets "a" is forbidden: User "system:serviceaccount:shop:poor" cannot patch resource "secrets" in API group "" in the namespace "shop"',
);
const quota = answer(
  403,
  'secrets "a" is forbidden: exceeded quota: few, requested: count/secrets=1,secrets=1, used: count/secrets=2,secrets=2, limited: count/secrets=2,secrets=2',
);
const policy = answer(
  403,
  `secrets "a" is forbidden: ValidatingAdmissionPolicy 'no.secrets' with binding 'all' denied request: not ${value}`,
);
const webhook = answer(403, `admission webhook "guard.example.org" denied the request: not ${value}`);
const ending = answer(403, 'secrets "a" is forbidden: unable to create new content', {
  causes: [
    { reason: 'NamespaceTerminating', message: 'namespace shop is being terminated', field: 'metadata.namespace' },
  ],
});
const plugin = answer(403, `secrets "a" is forbidden: ${value} is not nice`);

test('a 403 is a missing permission only with the wording of an authorizer', () => {
  const list =
    'configmaps is forbidden: User "x" cannot list resource "configmaps" in API group "" at the cluster scope';
  for (const failure of [permission, answer(403, list), answer(403, 'forbidden: User "x" cannot get path "/metrics"')])
    assert.equal(isDenied(failure), true, failure.message);
  for (const failure of [quota, policy, webhook, ending, plugin])
    assert.equal(isDenied(failure), false, failure.message);
  const quoting = answer(403, 'admission webhook "a.b" denied the request: User "x" cannot get resource "secrets"');
  assert.equal(isDenied(quoting), false);
});

for (const [failure, expected] of [
  [
    quota,
    'the ResourceQuota few is exceeded (requested count/secrets=1,secrets=1, used count/secrets=2,secrets=2, limited count/secrets=2,secrets=2)',
  ],
  [policy, 'the ValidatingAdmissionPolicy no.secrets with the binding all denies it'],
  [webhook, 'the admission webhook guard.example.org denies it'],
  [
    answer(500, `Internal error occurred: failed calling webhook "guard.example.org": ${value}`),
    'the admission webhook guard.example.org cannot be called',
  ],
  [ending, 'its namespace is being deleted'],
  [plugin, 'an admission plugin denies it'],
  [permission, undefined],
  [answer(422, `Secret "a" is invalid: ${value}`), undefined],
  // The message of a policy cannot be mistaken for a quota.
  [
    answer(
      403,
      `admission webhook "a.b" denied the request: exceeded quota: ${value}, requested: a=1, used: a=1, limited: a=1`,
    ),
    'the admission webhook a.b denies it',
  ],
] as const) {
  test(`${failure.message.slice(0, 60)}… is reported as ${expected ?? 'nothing'}`, () => {
    assert.equal(refuserOf(failure), expected);
  });
}

test('an Event that a quota or a policy refuses does not mean a missing permission for others', () => {
  assert.equal(consequenceOf(permission, false), 'forbidden');
  for (const failure of [quota, policy, webhook]) assert.equal(consequenceOf(failure, false), 'refused');
  assert.equal(
    consequenceOf(
      answer(403, 'events is forbidden: unable to create new content in namespace shop because it is being terminated'),
      false,
    ),
    'namespaceDeleted',
  );
});

test('a Secret of restart control that a quota or a policy refuses is not a missing permission, and nothing is quoted', () => {
  const target = { verb: 'create', kind: 'Secret', namespace: 'weeder' } as const;
  assert.equal(
    confidential(permission, target).message,
    'cannot create resource "secrets" in API group "" in the namespace "weeder"',
  );
  assert.match(confidential(quota, target).message, /^the ResourceQuota few is exceeded/);
  for (const failure of [policy, webhook, plugin, answer(422, value)]) {
    const { message } = confidential(failure, target);
    assert.doesNotMatch(message, /hunter2|cannot create/);
  }
  assert.match(confidential(policy, target).message, /^the ValidatingAdmissionPolicy no\.secrets/);
});
