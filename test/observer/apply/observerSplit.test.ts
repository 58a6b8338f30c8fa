import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { split } from '../../../src/observer/apply/split.ts';
import type { Manifest } from '../../../src/observer/objects/identity.ts';
import { type FieldMask, leaf } from '../../../src/observer/schema/fieldMask.ts';
import { manifestOf, nginxDeployment, nginxService } from '../../support/docs/manifests.ts';
import { at } from '../../support/objects/edits.ts';
import { structureFor } from '../../support/objects/structures.ts';
import { maskOf } from '../../support/oracle/fieldMasks.ts';

const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});

function parts(manifest: Manifest, mask: FieldMask) {
  return split(manifest, mask, structureFor(manifest.apiVersion, manifest.identity.kind));
}

function partsBy(manifest: Manifest, fields: JsonObject) {
  return parts(manifest, maskOf(manifest, fields));
}

const identity = (manifest: Manifest) => ({
  apiVersion: manifest.apiVersion,
  kind: manifest.identity.kind,
  metadata: { name: manifest.identity.name, namespace: manifest.identity.namespace },
});

test('without a schema everything is observed by one manager', () => {
  assert.deepEqual(parts(nginxDeployment, leaf), {
    whole: nginxDeployment.object,
    observed: nginxDeployment.object,
    unobserved: undefined,
  });
});

test('each part contains the identity of the object and the keys of its list elements', () => {
  const { whole, observed, unobserved } = partsBy(nginxDeployment, {
    spec: { template: { spec: { containers: [{ image: null, env: [{ value: null }, bounds(0, 0)] }, bounds(1, 3)] } } },
  });
  assert.deepEqual(whole, nginxDeployment.object);
  assert.deepEqual(observed, {
    ...identity(nginxDeployment),
    spec: {
      template: { spec: { containers: [{ name: 'nginx', image: 'nginx:1.29', env: [{ name: 'A', value: '1' }] }] } },
    },
  });
  assert.deepEqual(at(unobserved, 'spec.template.spec.containers'), [
    {
      name: 'nginx',
      args: ['-g', 'daemon off;'],
      ports: [{ containerPort: 80 }],
      env: [{ name: 'B', value: '2' }],
      resources: { limits: { cpu: '1000m' } },
    },
    { name: 'sidecar', image: 'sidecar:2' },
  ]);
  assert.deepEqual(at(unobserved, 'metadata'), { labels: { app: 'nginx' }, name: 'nginx', namespace: 'shop' });
  assert.equal(at(unobserved, 'spec.replicas'), 2);
});

test('an element with several keys has all keys of the manifest in both parts', () => {
  const { observed, unobserved } = partsBy(nginxService, {
    spec: { ports: [null, null, { name: null }, bounds(0, 0)], selector: null },
  });
  assert.deepEqual(at(observed, 'spec'), {
    selector: { app: 'nginx' },
    ports: [
      { name: 'web', port: 80 },
      { name: 'dns', port: 53 },
      { port: 53, protocol: 'UDP', name: 'dns-udp' },
    ],
  });
  assert.equal(unobserved, undefined, 'only keys are left');
});

test('an observed key is in both parts', () => {
  const { observed, unobserved } = partsBy(nginxService, { spec: { ports: [{ port: null }, bounds(0, 0)] } });
  assert.deepEqual(at(observed, 'spec.ports'), [{ port: 80 }]);
  assert.deepEqual(at(unobserved, 'spec.ports'), [
    { port: 80, name: 'web' },
    { name: 'dns', port: 53 },
    { name: 'dns-udp', port: 53, protocol: 'UDP' },
  ]);
});

test('an atomic value is in one part as a whole, even if only a part of it is observed', () => {
  const ingress = manifestOf({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', annotations: { a: 'b' } },
    spec: { ingressClassName: 'x', rules: [{ host: 'a.example', http: { paths: [{ path: '/' }] } }] },
  });
  const { observed, unobserved } = partsBy(ingress, { spec: { rules: [{ host: null }, bounds(1, 1)] } });
  assert.deepEqual(at(observed, 'spec'), { rules: [{ host: 'a.example', http: { paths: [{ path: '/' }] } }] });
  assert.deepEqual(at(unobserved, 'spec'), { ingressClassName: 'x' });
  const { observed: map } = partsBy(nginxDeployment, {
    spec: { template: { spec: { nodeSelector: { zone: null } } } },
  });
  assert.deepEqual(at(map, 'spec.template.spec.nodeSelector'), { disk: 'ssd' }, 'also for a key that it lacks');
});

test('an atomic value without observed fields is in the unobserved part', () => {
  const { observed, unobserved } = partsBy(nginxDeployment, { spec: { replicas: null } });
  assert.deepEqual(at(observed, 'spec'), { replicas: 2 });
  assert.deepEqual(at(unobserved, 'spec.selector'), { matchLabels: { app: 'nginx' } });
  assert.equal(at(unobserved, 'spec.replicas'), undefined);
});

test('the values of a set are divided between the parts', () => {
  const gadget = manifestOf({
    apiVersion: 'observer.example.org/v1',
    kind: 'Gadget',
    metadata: { name: 'g' },
    spec: { tags: ['a', 'b', 'c'] },
  });
  const { observed, unobserved } = partsBy(gadget, { spec: { tags: [null, null, bounds(0, 0)] } });
  assert.deepEqual(at(observed, 'spec.tags'), ['a', 'b']);
  assert.deepEqual(at(unobserved, 'spec.tags'), ['c']);
});

test('a schema that lists only fields that the manifest lacks leaves everything in the unobserved part', () => {
  const { observed, unobserved } = partsBy(nginxDeployment, {
    spec: { template: { spec: { hostNetwork: null, containers: [{ securityContext: null }, bounds(0, 0)] } } },
  });
  assert.deepEqual(observed, identity(nginxDeployment));
  assert.deepEqual(unobserved, nginxDeployment.object);
});

test('a maximum alone does not make elements observed; elements up to the minimum are observed as a whole', () => {
  const loose = partsBy(nginxService, { spec: { ports: [bounds(0, 3)] } });
  assert.equal(at(loose.observed, 'spec'), undefined);
  const strict = partsBy(nginxService, { spec: { ports: [bounds(2, 3)] } });
  assert.deepEqual(at(strict.observed, 'spec.ports'), [
    { name: 'web', port: 80 },
    { name: 'dns', port: 53 },
  ]);
});

test('empty maps and lists belong to a part too', () => {
  const { observed, unobserved } = partsBy(nginxDeployment, {
    spec: { template: { spec: { volumes: [{ emptyDir: null }, bounds(0, 0)] } } },
  });
  assert.deepEqual(at(observed, 'spec.template.spec.volumes'), [{ name: 'scratch', emptyDir: {} }]);
  assert.equal(at(unobserved, 'spec.template.spec.volumes'), undefined);
});

test('fields that only the API server writes, and the status, are in no part', () => {
  const manifest: Manifest = {
    ...nginxService,
    object: {
      ...nginxService.object,
      metadata: { name: 'nginx', namespace: 'shop', uid: 'u', resourceVersion: '7', creationTimestamp: null },
      status: { loadBalancer: {} },
    },
  };
  const { whole, observed, unobserved } = partsBy(manifest, { spec: { ports: null } });
  for (const body of [whole, observed, unobserved]) {
    assert.deepEqual(at(body, 'metadata'), { name: 'nginx', namespace: 'shop' });
    assert.equal(at(body, 'status'), undefined);
  }
});

test('an object with only a name has one manager, also a cluster-scoped one', () => {
  const empty = manifestOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, '');
  assert.deepEqual(parts(empty, leaf), { whole: empty.object, observed: empty.object, unobserved: undefined });
});

test('keys named like Object.prototype properties are ordinary keys', () => {
  const data: unknown = JSON.parse('{"constructor":"a","__proto__":"b","plain":"c"}');
  const manifest = manifestOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data });
  const { observed, unobserved } = partsBy(manifest, { data: JSON.parse('{"__proto__":null}') });
  assert.equal(JSON.stringify(at(observed, 'data')), '{"__proto__":"b"}');
  assert.equal(JSON.stringify(at(unobserved, 'data')), '{"constructor":"a","plain":"c"}');
});
