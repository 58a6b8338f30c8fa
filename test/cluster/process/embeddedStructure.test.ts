import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, merging } from '@weeder/embedded-cluster/conformance';
import { openApiDocuments } from '@weeder/embedded-cluster/registry';
import { resources } from '@weeder/embedded-cluster/resources';
import { arrayOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { sharedControlPlane } from '../support/cluster.ts';

/** Kinds that the embedded server serves without a schema. */
const without = new Set(['Event', 'Endpoints', 'ControllerRevision']);

test('the lists and maps in the OpenAPI documents of the embedded server merge as in the real ones, for each kind', async () => {
  const cluster = await sharedControlPlane();
  let compared = 0;
  for (const [path, { json }] of openApiDocuments(resources)) {
    const real = body(await cluster.send('GET', `/openapi/v3/${path}`), 200);
    const parsed: unknown = JSON.parse(json);
    const embedded = objectOf(parsed);
    for (const kind of kindsOf(embedded).filter((each) => !without.has(each))) {
      const expected = merging(real, kind);
      for (const [field, is] of merging(embedded, kind)) {
        assert.equal(is, expected.get(field), `${path} ${kind}${field}`);
        compared += 1;
      }
    }
  }
  assert(compared > 1_000, `only ${compared} lists and maps`);
});

function kindsOf(document: object): readonly string[] {
  const schemas = Object.values(objectOf(objectOf(objectOf(document)['components'])['schemas']));
  const identities = schemas.flatMap((schema) => arrayOf(objectOf(schema)['x-kubernetes-group-version-kind']));
  return identities.flatMap((identity) => textOf(objectOf(identity)['kind']) ?? []);
}
