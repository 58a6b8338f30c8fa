import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { restartMarks } from '../../../src/controller/restartMarks.ts';
import { serverOwnedIn, withoutServerOwned } from '../../../src/observer/objects/serverOwned.ts';
import { readSpec } from '../../../src/observer/spec/readApplication.ts';

const copied = { uid: 'b5', resourceVersion: '7', creationTimestamp: '2026-11-21T06:20:40Z' };

/** The manifest as it is desired. */
function desired(apiVersion: string, kind: string, { metadata, ...fields }: Record<string, unknown>): unknown {
  const name = { name: 'one' };
  const manifest = { apiVersion, kind, metadata: { ...name, ...(metadata as object | undefined) }, ...fields };
  const { spec, errors } = readSpec({ manifests: [manifest] }, { namespace: 'shop', name: 'web' });
  assert.deepEqual(errors, []);
  const { apiVersion: _, kind: __, ...object } = spec.manifests[0]?.object ?? {};
  return object;
}

const one = { metadata: { name: 'one' } };
const rbac = 'rbac.authorization.k8s.io/v1';
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { view: 'yes' } }] };

suite('fields of a manifest that its author does not own', () => {
  test('the rules of an aggregated ClusterRole are removed, those of another ClusterRole are not', () => {
    assert.deepEqual(desired(rbac, 'ClusterRole', { aggregationRule, rules }), { ...one, aggregationRule });
    assert.deepEqual(desired(rbac, 'ClusterRole', { rules }), { ...one, rules });
    assert.deepEqual(desired(rbac, 'ClusterRole', { aggregationRule: null, rules }), {
      ...one,
      aggregationRule: null,
      rules,
    });
    assert.deepEqual(desired(rbac, 'Role', { aggregationRule, rules }), { ...one, aggregationRule, rules });
  });

  test('annotations that Kubernetes, kubectl and weeder maintain are removed, those of users are not', () => {
    const theirs = {
      team: 'web',
      'kubectl.kubernetes.io/restartedAt': '2026-11-21T06:20:40Z',
      'kubernetes.io/change-cause': 'image 2',
      'volume.beta.kubernetes.io/storage-class': 'fast',
      'storageclass.kubernetes.io/is-default-class': 'true',
      'weeder.dev/restart-on-change': 'true',
      'autoscaling.alpha.kubernetes.io/metrics': '[]',
    };
    const written = {
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/desired-replicas': '2',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'pv.kubernetes.io/bind-completed': 'yes',
      'volume.kubernetes.io/selected-node': 'node-1',
      'volume.beta.kubernetes.io/storage-provisioner': 'example.org/disk',
      'deprecated.daemonset.template.generation': '2',
      'batch.kubernetes.io/job-tracking': '',
      'autoscaling.alpha.kubernetes.io/conditions': '[]',
      'control-plane.alpha.kubernetes.io/leader': '{}',
      'endpoints.kubernetes.io/last-change-trigger-time': '2026-11-21T06:20:40Z',
      'weeder.dev/application-name': 'shop/other',
      'weeder.dev/dependencies': '{}',
      'weeder.dev/emptied': 'b5/2',
    };
    const annotations = { ...theirs, ...written };
    assert.deepEqual(desired('v1', 'ConfigMap', { metadata: { annotations } }), {
      metadata: { name: 'one', annotations: theirs },
    });
    assert.deepEqual(desired('example.org/v1', 'Disk', { metadata: { annotations: written } }), one);
    const cause = { 'kubernetes.io/change-cause': 'weeder: ConfigMap settings' };
    assert.deepEqual(desired('apps/v1', 'Deployment', { metadata: { annotations: cause } }), one);
  });

  test('restart annotations in a pod template are removed: restoring them would undo the restart', () => {
    const template = { metadata: { annotations: { [restartMarks.template]: 'x', team: 'web' } } };
    const left = { metadata: { annotations: { team: 'web' } } };
    assert.deepEqual(desired('apps/v1', 'Deployment', { spec: { template } }), { ...one, spec: { template: left } });
    const cron = (its: object) => ({ spec: { jobTemplate: { spec: { template: its } } } });
    assert.deepEqual(desired('batch/v1', 'CronJob', cron(template)), { ...one, ...cron(left) });
  });

  test('finalizers and owners of a copied object are removed, those that a user has written are not', () => {
    const metadata = { finalizers: ['example.org/keep'], ownerReferences: [{ kind: 'Shop', name: 'a', uid: '1' }] };
    assert.deepEqual(desired('v1', 'ConfigMap', { metadata: { ...metadata, ...copied } }), one);
    assert.deepEqual(desired('v1', 'ConfigMap', { metadata: { ...metadata, creationTimestamp: null } }), {
      metadata: { name: 'one', ...metadata },
    });
  });

  for (const [kind, version, given, left] of [
    [
      'Namespace',
      'v1',
      { metadata: { labels: { 'kubernetes.io/metadata.name': 'one' } }, spec: { finalizers: ['kubernetes'] } },
      {},
    ],
    ['Pod', 'v1', { metadata: copied, spec: { nodeName: 'node-1', containers: [] } }, { spec: { containers: [] } }],
    [
      'CertificateSigningRequest',
      'certificates.k8s.io/v1',
      { spec: { request: 'eA==', username: 'ann', uid: '1', groups: ['a'], extra: {} } },
      { spec: { request: 'eA==' } },
    ],
    [
      'Node',
      'v1',
      {
        metadata: copied,
        spec: { podCIDR: '10.0.0.0/24', taints: [{ key: 'node.kubernetes.io/not-ready' }], providerID: 'a' },
      },
      { spec: { providerID: 'a' } },
    ],
    ['Node', 'v1', { spec: { taints: [{ key: 'gpu' }] } }, { spec: { taints: [{ key: 'gpu' }] } }],
    ['Pod', 'v1', { spec: { nodeName: 'node-1' } }, { spec: { nodeName: 'node-1' } }],
    ['ServiceAccount', 'v1', { metadata: copied, secrets: [{ name: 'one-token-x' }] }, {}],
    ['ServiceAccount', 'v1', { secrets: [{ name: 'mine' }] }, { secrets: [{ name: 'mine' }] }],
    [
      'Secret',
      'v1',
      {
        metadata: {
          annotations: { 'kubernetes.io/service-account.name': 'default', 'kubernetes.io/service-account.uid': '1' },
        },
        type: 'kubernetes.io/service-account-token',
        data: { 'ca.crt': 'eA==', namespace: 'eA==', token: 'eA==' },
      },
      {
        metadata: { name: 'one', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        type: 'kubernetes.io/service-account-token',
      },
    ],
    ['Secret', 'v1', { data: { token: 'eA==' } }, { data: { token: 'eA==' } }],
    [
      'PersistentVolumeClaim',
      'v1',
      {
        metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
        spec: { volumeName: 'pvc-1', accessModes: [] },
      },
      { spec: { accessModes: [] } },
    ],
    ['PersistentVolumeClaim', 'v1', { spec: { volumeName: 'disk-1' } }, { spec: { volumeName: 'disk-1' } }],
    [
      'PersistentVolume',
      'v1',
      { spec: { claimRef: { name: 'data', uid: '1', resourceVersion: '2' } } },
      { spec: { claimRef: { name: 'data' } } },
    ],
    [
      'PersistentVolume',
      'v1',
      {
        metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
        spec: { claimRef: { name: 'a' } },
      },
      {},
    ],
    [
      'Job',
      'batch/v1',
      {
        metadata: { labels: { 'job-name': 'one', team: 'web' } },
        spec: {
          selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': '1' } },
          template: { metadata: { labels: { 'controller-uid': '1', app: 'web' } } },
        },
      },
      {
        metadata: { name: 'one', labels: { team: 'web' } },
        spec: { template: { metadata: { labels: { app: 'web' } } } },
      },
    ],
    [
      'Job',
      'batch/v1',
      { spec: { manualSelector: true, selector: { matchLabels: { 'job-name': 'x' } } } },
      { spec: { manualSelector: true, selector: { matchLabels: { 'job-name': 'x' } } } },
    ],
  ] as const) {
    test(`of a ${kind} with ${Object.keys(given).join(', ')} only assigned fields are removed: ${JSON.stringify(left)}`, () => {
      assert.deepEqual(desired(version, kind, given), { ...one, ...left });
    });
  }

  test('cannot be listed in an observer schema', () => {
    const object: JsonObject = { aggregationRule };
    const type = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
    const isOwned = (field: string) =>
      serverOwnedIn(object, type).some(({ at, owns }) => at.length === 0 && owns(field));
    assert.deepEqual(['rules', 'status', 'aggregationRule'].map(isOwned), [true, true, false]);
  });

  test('an object without such fields is returned unchanged', () => {
    const object = { metadata: { name: 'one', labels: { app: 'web' } }, spec: { replicas: 1 } };
    assert.equal(withoutServerOwned(object, { group: 'apps', kind: 'Deployment' }), object);
  });
});
