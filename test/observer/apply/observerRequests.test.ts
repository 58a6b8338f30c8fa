import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import { classify } from '@weeder/kube-runtime/client';
import { clientOf, statusBody } from '@weeder/kube-runtime/testing';
import { applyUnblocked } from '../../../src/observer/apply/applyUnblocked.ts';
import { dryRunApply } from '../../../src/observer/apply/dryRunApply.ts';
import { withoutGoneVersions } from '../../../src/observer/apply/goneVersions.ts';
import { observerApi } from '../../../src/observer/apply/observerApi.ts';
import { ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { unknownNode } from '../../../src/observer/objects/schemaNode.ts';
import type { ResourcePlan } from '../../../src/observer/plan/resourceApi.ts';
import { leaf } from '../../../src/observer/schema/fieldMask.ts';

const { signal } = new AbortController();
const owner = ownerOf({ namespace: 'shop', name: 'web' });
const apiVersion = 'example.org/v1';
const identity = { group: 'example.org', kind: 'Thing', namespace: 'shop', name: 'a' };
const collection = '/apis/example.org/v1/namespaces/shop/things';
const manifest = { apiVersion, kind: 'Thing', metadata: { name: 'a', namespace: 'shop' }, spec: { size: '1000m' } };
const plan: ResourcePlan = {
  target: { identity, apiVersion, path: `${collection}/a`, collection, account: undefined },
  manifest: { identity, apiVersion, object: manifest },
  mask: leaf,
  topology: unknownNode,
  owner,
  hash: 'h',
  mayRecreate: false,
};

/** A manager's entry in the managed fields of a Thing. */
function entry(manager: string, version: string, field: string): JsonObject {
  const fieldsV1 = { 'f:spec': { [`f:${field}`]: {} } };
  return { manager, operation: 'Update', apiVersion: version, fieldsType: 'FieldsV1', fieldsV1 };
}

const live = {
  ...manifest,
  metadata: {
    ...manifest.metadata,
    uid: 'u',
    resourceVersion: '1',
    managedFields: [entry('theirs', 'example.org/v1alpha1', 'other')],
  },
  spec: { size: '1', other: 'x' },
};

/** A client of an API server that answers each request in this way. */
function serving(answer: (request: ApiRequest) => ApiResult) {
  const requests: ApiRequest[] = [];
  const client = clientOf(async (request) => {
    requests.push(request);
    return answer(request);
  });
  return { api: observerApi(client), requests };
}

function ok(body: JsonObject): ApiResult {
  return { ok: true, status: 200, body };
}

function refused(code: number, message: string): ApiResult {
  return { ok: false, failure: classify(code, {}, statusBody(code, 'Refused', message), 0) };
}

const isApply = ({ contentType }: ApiRequest) => contentType === 'application/apply-patch+yaml';
const managedFieldsIn = (body: unknown) => objectOf(objectOf(body)['metadata'])['managedFields'];

const gone = 'request to convert CR to an invalid group/version: example.org/v1alpha1';

for (const [what, message, applies] of [
  ['a version that is gone are moved to the served one, and the apply is repeated', gone, 2],
  ['another version stay as they are after another 500', 'etcdserver: leader changed', 1],
] as const)
  test(`managed fields of ${what}`, async () => {
    let isMoved = false;
    const { api, requests } = serving((request) => {
      if (request.method === 'GET') return ok(live);
      if (isApply(request)) return isMoved ? ok(live) : refused(500, message);
      isMoved = true;
      return ok(live);
    });
    const how = { manager: owner.own, force: true };
    const outcome = await withoutGoneVersions(api).apply(plan.target, manifest, how, signal);
    assert.equal(outcome.ok, applies === 2);
    assert.equal(requests.filter(isApply).length, applies);
    const patches = requests.filter((request) => request.method === 'PATCH' && !isApply(request));
    const moved = applies === 2 ? [[entry('theirs', apiVersion, 'other')]] : [];
    assert.deepEqual(
      patches.map(({ body }) => managedFieldsIn(body)),
      moved,
    );
  });

for (const [what, message, asks] of [
  ['a webhook for new objects that cannot be called', 'Internal error occurred: failed calling webhook "w"', true],
  ['an error of the server', 'etcdserver: leader changed', false],
] as const)
  test(`a dry run of a new object that fails because of ${what} is ${asks ? '' : 'not '}followed by one of the live object`, async () => {
    const { api, requests } = serving((request) => {
      if (request.method === 'POST') return refused(500, message);
      return ok(request.method === 'GET' ? live : { ...live, spec: { size: '1' } });
    });
    const outcome = await dryRunApply(api, plan, signal);
    assert.deepEqual(
      requests.map(({ method }) => method),
      asks ? ['POST', 'GET', 'PATCH'] : ['POST'],
    );
    assert.ok(requests.every(({ method, query }) => method === 'GET' || query?.['dryRun'] === 'All'));
    assert.deepEqual(
      outcome.ok ? outcome.value.object['spec'] : outcome.failure.type,
      asks ? { size: '1' } : 'transient',
    );
  });

for (const [what, last, isRestored] of [
  ['a 429', refused(429, 'too many requests'), true],
  ['a further refusal', refused(422, 'no'), true],
  ['a success', ok(live), false],
] as const)
  test(`fields that were taken over after a refusal ${isRestored ? 'are returned to' : 'do not return to'} their managers after ${what}`, async () => {
    let applies = 0;
    const { api, requests } = serving((request) => {
      if (!isApply(request))
        return ok({ ...live, metadata: { ...live.metadata, ...objectOf(objectOf(request.body)['metadata']) } });
      applies += 1;
      return applies === 1 ? refused(422, 'no') : last;
    });
    const how = { manager: owner.own, force: true };
    const apply = () => api.apply(plan.target, manifest, how, signal);
    const blocking = () => [[{ field: 'spec' }, { field: 'other' }]];
    const { outcome } = await applyUnblocked(api, plan, live, { manager: owner.own, apply, blocking }, signal);
    assert.equal(outcome.ok, !isRestored);
    assert.equal(applies, 2);
    const written = requests.filter((request) => !isApply(request)).map(({ body }) => managedFieldsIn(body));
    assert.equal(written.length, isRestored ? 2 : 1);
    assert.notDeepEqual(written[0], live.metadata.managedFields);
    if (isRestored) assert.deepEqual(written[1], live.metadata.managedFields);
  });
