import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  definedGroups,
  definedKind,
  deletionStage,
  firstStage,
  inApplyOrder,
  inDeletionOrder,
} from '../../src/observer/application/order.ts';
import type { Manifest } from '../../src/observer/objects/identity.ts';
import {
  isAutoscaled,
  isScaledByUnknown,
  scaledBy,
  scaleOwnerOf,
  withoutReplicas,
} from '../../src/observer/ownership/replicas.ts';
import { type FieldMask, fieldOf, leaf, observesAnything } from '../../src/observer/schema/fieldMask.ts';

function of(kind: string, name: string, group = ''): Manifest {
  return { identity: { group, kind, namespace: '', name }, apiVersion: 'v1', object: {} };
}

const none: ReadonlySet<string> = new Set();

suite('the order of an application', () => {
  const crd = of('CustomResourceDefinition', 'widgets', 'apiextensions.k8s.io');
  const manifests = [
    of('Widget', 'w', 'example.org'),
    of('Deployment', 'web', 'apps'),
    crd,
    of('ConfigMap', 'a'),
    of('Namespace', 'n'),
  ];
  const names = (resources: readonly Manifest[]) => resources.map(({ identity }) => identity.name);

  test('is namespaces, then CRDs, then other resources as in the manifests, then workloads', () => {
    assert.deepEqual(names(inApplyOrder(manifests)), ['n', 'widgets', 'w', 'a', 'web']);
    assert.deepEqual(names(inApplyOrder(inApplyOrder(manifests))), names(inApplyOrder(manifests)));
  });

  test('is reversed for a deletion', () => {
    assert.deepEqual(names(inDeletionOrder(manifests, none)), ['w', 'web', 'a', 'widgets', 'n']);
  });

  test('deletes roles, bindings and service accounts last, in stages', () => {
    const rbac = 'rbac.authorization.k8s.io';
    const mixed = [
      of('ServiceAccount', 'account'),
      of('ClusterRoleBinding', 'binding', rbac),
      of('Role', 'role', rbac),
    ];
    const order = inDeletionOrder([...mixed, ...manifests, of('LimitRange', 'defaults')], none);
    assert.deepEqual(names(order), ['w', 'web', 'a', 'defaults', 'widgets', 'n', 'binding', 'role', 'account']);
    const stages = order.map(({ identity }) => deletionStage(identity, none));
    assert.deepEqual(stages, [2, 3, 3, 3, 4, 5, 6, 6, 6]);
  });

  test('deletes custom resources first, and of those the ones that a CRD of the application defines', () => {
    const definition = of('CustomResourceDefinition', 'widgets.example.org', 'apiextensions.k8s.io');
    const others = [of('Certificate', 'c', 'cert-manager.io'), of('Lease', 'l', 'coordination.k8s.io')];
    const all = [...others, ...manifests, definition];
    const groups = definedGroups(all);
    assert.ok(groups.has('example.org'));
    assert.deepEqual(names(inDeletionOrder(all, groups)).slice(0, 5), ['w', 'c', 'web', 'a', 'l']);
    const stages = [manifests[0] ?? assert.fail(), ...others].map(({ identity }) => deletionStage(identity, groups));
    assert.deepEqual(stages, [1, 2, 3]);
  });

  test('applies what admission requires first: service accounts, limit ranges and roles before bindings and Pods', () => {
    const rbac = 'rbac.authorization.k8s.io';
    const mixed = [
      of('Pod', 'pod'),
      of('RoleBinding', 'binding', rbac),
      of('ConfigMap', 'a'),
      of('Role', 'role', rbac),
      of('LimitRange', 'defaults'),
      of('ServiceAccount', 'account'),
    ];
    assert.deepEqual(names(inApplyOrder(mixed)), ['role', 'defaults', 'account', 'binding', 'a', 'pod']);
  });

  test('applies webhook configurations after the workloads that may serve them, and deletes them first', () => {
    const admission = 'admissionregistration.k8s.io';
    const hooks = [
      of('MutatingWebhookConfiguration', 'mutating', admission),
      of('ValidatingWebhookConfiguration', 'validating', admission),
    ];
    const rest = [of('ValidatingAdmissionPolicy', 'policy', admission), of('Service', 'hook'), ...manifests];
    const order = ['n', 'widgets', 'policy', 'hook', 'w', 'a', 'web', 'mutating', 'validating'];
    assert.deepEqual(names(inApplyOrder([...hooks, ...rest])), order);
    const deletion = inDeletionOrder([...rest, ...hooks], none);
    assert.deepEqual(names(deletion).slice(0, 3), ['validating', 'mutating', 'w']);
    assert.deepEqual(
      deletion.slice(0, 3).map(({ identity }) => deletionStage(identity, none)),
      [0, 0, 2],
    );
    assert.equal(deletionStage(of('ValidatingWebhookConfiguration', 'other', 'example.org').identity, none), 2);
  });

  test('has stages, and firstStage returns the earliest as a whole', () => {
    assert.deepEqual(names(firstStage(manifests)), ['n']);
    assert.deepEqual(names(firstStage(manifests.slice(0, 2))), ['w']);
    assert.deepEqual(names(firstStage([of('ConfigMap', 'a'), of('Secret', 'b')])), ['a', 'b']);
    assert.deepEqual(firstStage([]), []);
  });

  test('depends on group and kind: a Namespace of another group is an ordinary resource', () => {
    assert.deepEqual(names(inApplyOrder([of('ConfigMap', 'a'), of('Namespace', 'n', 'example.org')])), ['a', 'n']);
  });

  test('a CRD states which kind it defines, and nothing else does', () => {
    const object = { spec: { group: 'example.org', names: { kind: 'Widget' } } };
    assert.deepEqual(definedKind(crd.identity, object), { group: 'example.org', kind: 'Widget' });
    assert.equal(definedKind(crd.identity, { spec: {} }), undefined);
    assert.equal(definedKind(of('Widget', 'w').identity, object), undefined);
  });
});

suite('replicas of another owner', () => {
  const manifest = { kind: 'Deployment', metadata: {}, spec: { replicas: 2, template: { a: 1 } } };
  const web = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const schema = (spec: FieldMask): FieldMask => ({ type: 'map', fields: new Map([['spec', spec]]) });
  const replicasIn = (mask: FieldMask) => fieldOf(fieldOf(mask, 'spec'), 'replicas');

  test('are not observed, and everything else of the manifest still is', () => {
    const mask = withoutReplicas(leaf, manifest);
    assert.equal(replicasIn(mask), undefined);
    assert.equal(fieldOf(fieldOf(mask, 'spec'), 'template'), leaf);
    assert.equal(fieldOf(mask, 'metadata'), leaf);
    assert.equal(replicasIn(withoutReplicas(schema(leaf), manifest)), undefined);
  });

  test('are observed if the schema lists them, and a manifest without them is not changed', () => {
    const listing = schema({ type: 'map', fields: new Map([['replicas', leaf]]) });
    assert.equal(withoutReplicas(listing, manifest), listing);
    assert.equal(withoutReplicas(leaf, { ...manifest, spec: {} }), leaf);
    const elsewhere: FieldMask = { type: 'map', fields: new Map([['metadata', leaf]]) };
    assert.equal(withoutReplicas(elsewhere, manifest), elsewhere);
    assert.ok(!observesAnything(withoutReplicas(schema(leaf), { spec: { replicas: 1 } })));
  });

  test('are those that a manager wrote through the subresource scale', () => {
    const entry = {
      manager: 'kube-controller-manager',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };
    const live = (...managedFields: object[]) => ({ metadata: { managedFields } });
    assert.equal(scaleOwnerOf(live({ manager: 'kubectl' }, entry)), 'kube-controller-manager');
    assert.equal(scaleOwnerOf(live({ ...entry, subresource: 'status' })), undefined);
    assert.equal(scaleOwnerOf(live({ ...entry, fieldsV1: { 'f:spec': { 'f:paused': {} } } })), undefined);
    assert.equal(scaleOwnerOf({}), undefined);
  });

  test('are those of an unknown scaler after scaling to 0, when no manager owns them, and not the API server’s default', () => {
    const entry = (manager: string, fields: object, subresource?: string) => ({
      manager,
      ...(subresource === undefined ? {} : { subresource }),
      fieldsV1: { 'f:spec': fields },
    });
    const live = (spec: object, ...managedFields: object[]) => ({ metadata: { managedFields }, spec });
    const managers = { own: 'weeder:web', init: 'weeder-init:web' };
    const ours = entry('weeder:web', { 'f:template': {} });
    assert.ok(isScaledByUnknown(live({ replicas: 0 }, ours), managers));
    assert.ok(isScaledByUnknown(live({ replicas: 3 }, ours, entry('kubectl', { 'f:paused': {} })), managers));
    const owned = entry('weeder:web', { 'f:replicas': {} });
    assert.ok(!isScaledByUnknown(live({ replicas: 0 }, owned), managers));
    assert.ok(!isScaledByUnknown(live({ replicas: 0 }, ours, entry('kubectl-edit', { 'f:replicas': {} })), managers));
    assert.ok(!isScaledByUnknown(live({}, ours), managers));
    assert.ok(!isScaledByUnknown(live({ replicas: 0 }, entry('helm', {})), managers));
    assert.ok(!isScaledByUnknown({ spec: { replicas: 0 } }, managers));
  });

  test('are those of the target of an autoscaler in the same namespace', () => {
    const autoscaler = (namespace: string, scaleTargetRef: object): Manifest => ({
      identity: { group: 'autoscaling', kind: 'HorizontalPodAutoscaler', namespace, name: 'web' },
      apiVersion: 'autoscaling/v2',
      object: { spec: { scaleTargetRef } },
    });
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    assert.ok(isAutoscaled(web, [of('ConfigMap', 'a'), autoscaler('shop', target)]));
    assert.ok(!isAutoscaled(web, [autoscaler('other', target)]));
    assert.ok(!isAutoscaled(web, [autoscaler('shop', { ...target, name: 'db' })]));
    assert.ok(!isAutoscaled(web, [autoscaler('shop', { ...target, apiVersion: 'example.org/v1' })]));
    assert.equal(scaledBy(autoscaler('shop', {})), undefined);
    assert.equal(scaledBy(of('ConfigMap', 'a')), undefined);
  });
});
