import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import type { Features } from '../features.ts';
import { body, meta, type NamespaceTest, refused } from '../target.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Kinds that applications have in addition to their workloads. */
export function testOtherKinds(test: NamespaceTest, { omitsUnsetTimes, requiresMaxReplicas }: Features): void {
  test('an Ingress needs rules or a default backend, and its paths a type', async (at) => {
    const ingress = (spec: JsonObject) => ({ metadata: { name: 'web' }, spec });
    const post = (spec: JsonObject) => at.post('ingresses', ingress(spec));
    const none = refused(await post({}), 422, 'Invalid');
    assert.match(String(none['message']), /either `defaultBackend` or `rules` must be specified$/);
    const backend = { service: { name: 'web', port: { number: 80 } } };
    const rules = (path: JsonObject) => [{ host: 'a.example', http: { paths: [{ backend, ...path }] } }];
    const untyped = refused(await post({ rules: rules({ path: '/' }) }), 422, 'Invalid');
    assert.match(
      String(untyped['message']),
      /spec\.rules\[0\]\.http\.paths\[0\]\.pathType: Required value: pathType must/,
    );
    const spec = { rules: rules({ path: '/', pathType: 'Prefix' }) };
    const object = await at.create('ingresses', ingress(spec));
    assert.deepEqual([object['spec'], object['status'], meta(object)['generation']], [spec, { loadBalancer: {} }, 1]);
  });

  test('a NetworkPolicy has policy type Ingress, and Egress only with egress rules', async (at) => {
    const policy = (name: string, spec: JsonObject) => ({ metadata: { name }, spec });
    const ingress = [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }];
    const networkPolicy = await at.create('networkpolicies', policy('a', { podSelector: {}, ingress, egress: [] }));
    assert.deepEqual(networkPolicy['spec'], {
      podSelector: {},
      ingress: [{ from: [{ podSelector: {} }], ports: [{ protocol: 'TCP', port: 80 }] }],
      policyTypes: ['Ingress'],
    });
    const both = await at.create('networkpolicies', policy('b', { podSelector: {}, egress: [{}] }));
    assert.deepEqual(objectOf(both['spec'])['policyTypes'], ['Ingress', 'Egress']);
    assert.equal(meta(both)['generation'], 1);
  });

  test('a HorizontalPodAutoscaler defaults to at least one replica and to CPU utilization', async (at) => {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const scaler = (name: string, spec: JsonObject) => ({ metadata: { name }, spec: { scaleTargetRef, ...spec } });
    const storedSpec = objectOf((await at.create('horizontalpodautoscalers', scaler('a', { maxReplicas: 3 })))['spec']);
    const target = { type: 'Utilization', averageUtilization: 80 };
    assert.deepEqual(storedSpec, {
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    });
    const memory = (averageValue: string) => ({
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue } },
    });
    const other = await at.create(
      'horizontalpodautoscalers',
      scaler('b', { maxReplicas: 2, metrics: [memory('0.5Gi')] }),
    );
    assert.deepEqual(objectOf(other['spec'])['metrics'], [memory('512Mi')]);
    const none = scaler('c', { maxReplicas: 0 });
    const refusal = refused(await at.post('horizontalpodautoscalers', none), 422, 'Invalid');
    assert.match(
      String(refusal['message']),
      requiresMaxReplicas
        ? /spec\.maxReplicas: Required value: must be set and greater than 0, spec\.maxReplicas: Invalid value: 0: must be/
        : /spec\.maxReplicas: Invalid value: 0: must be greater than 0, spec\.maxReplicas: Invalid value: 0: must be/,
    );
  });

  test('the roleRef of a binding is immutable, and its subjects get their API group', async (at) => {
    const roleRef = { kind: 'Role', name: 'a:reader' };
    const subjects = [
      { kind: 'ServiceAccount', name: 'web', namespace: at.name },
      { kind: 'User', name: 'jane' },
    ];
    await at.create('roles', {
      metadata: { name: 'a:reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [] }],
    });
    const role = await at.get('roles', 'a:reader');
    assert.deepEqual(role['rules'], [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
    const binding = await at.create('rolebindings', {
      metadata: { name: 'a' },
      roleRef: { apiGroup: rbac, ...roleRef },
      subjects,
    });
    assert.deepEqual(binding['roleRef'], { apiGroup: rbac, ...roleRef });
    assert.deepEqual(binding['subjects'], [subjects[0], { apiGroup: rbac, ...subjects[1] }]);
    const other = { ...binding, roleRef: { apiGroup: rbac, kind: 'Role', name: 'other' } };
    const refusal = refused(await at.put('rolebindings', 'a', other), 422, 'Invalid');
    assert.match(String(refusal['message']), /roleRef: Invalid value: .*cannot change roleRef$/);
  });

  test('a PersistentVolumeClaim is pending, gets a volume mode, and is immutable', async (at) => {
    const resources = { requests: { storage: '1024Mi' } };
    const claim = {
      metadata: { name: 'a' },
      spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName: 'none' },
    };
    const object = await at.create('persistentvolumeclaims', claim);
    assert.deepEqual(objectOf(object['spec'])['resources'], { requests: { storage: '1Gi' } });
    assert.deepEqual([objectOf(object['spec'])['volumeMode'], object['status']], ['Filesystem', { phase: 'Pending' }]);
    const options = { body: { spec: { storageClassName: 'other' } }, contentType: 'application/merge-patch+json' };
    const refusal = refused(await at.send('PATCH', at.path('persistentvolumeclaims', 'a'), options), 422, 'Invalid');
    assert.match(String(refusal['message']), /spec: Forbidden: spec is immutable after creation except/);
    const modeless = { metadata: { name: 'b' }, spec: { resources } };
    refused(await at.post('persistentvolumeclaims', modeless), 422, 'Invalid');
  });

  test('the imagePullSecrets of a ServiceAccount are stored, and an empty list is omitted', async (at) => {
    const account = { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'x' }], secrets: [] };
    const serviceAccount = await at.create('serviceaccounts', { metadata: { name: 'a' }, ...account });
    assert.deepEqual(
      [serviceAccount['automountServiceAccountToken'], serviceAccount['imagePullSecrets']],
      [false, [{ name: 'x' }]],
    );
    assert.equal(serviceAccount['secrets'], undefined);
  });

  test('a template gets the defaults of its probes, variables, volumes and claims', async (at) => {
    const container = {
      name: 'a',
      image: 'registry.invalid/none:1',
      env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      livenessProbe: { httpGet: { port: 80 } },
      ports: [{ containerPort: 80 }],
    };
    const volumes = [
      { name: 'c', configMap: { name: 'x' } },
      { name: 's', secret: { secretName: 'x' } },
      { name: 'h', hostPath: { path: '/x' } },
      { name: 'n' },
    ];
    const labels = { app: 'web' };
    const template = { metadata: { labels, creationTimestamp: null }, spec: { containers: [container], volumes } };
    const claim = {
      metadata: { name: 'd' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const spec = {
      replicas: 0,
      serviceName: 'web',
      selector: { matchLabels: labels },
      template,
      volumeClaimTemplates: [claim],
    };
    const storedSpec = objectOf((await at.create('statefulsets', { metadata: { name: 'web' }, spec }))['spec']);
    const pod = objectOf(objectOf(storedSpec['template'])['spec']);
    const [first] = arrayOf(pod['containers']).map(objectOf);
    assert.deepEqual(first?.['env'], [
      { name: 'N', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    ]);
    assert.deepEqual(objectOf(first?.['livenessProbe'])['httpGet'], { path: '/', port: 80, scheme: 'HTTP' });
    assert.deepEqual(first?.['ports'], [{ containerPort: 80, protocol: 'TCP' }]);
    assert.deepEqual(pod['volumes'], [
      { name: 'c', configMap: { name: 'x', defaultMode: 420 } },
      { name: 's', secret: { secretName: 'x', defaultMode: 420 } },
      { name: 'h', hostPath: { path: '/x', type: '' } },
      { name: 'n', emptyDir: {} },
    ]);
    const [claimed] = arrayOf(storedSpec['volumeClaimTemplates']).map(objectOf);
    assert.deepEqual([claimed?.['kind'], claimed?.['status']], ['PersistentVolumeClaim', { phase: 'Pending' }]);
    assert.equal(objectOf(claimed?.['spec'])['volumeMode'], 'Filesystem');
    const unset = omitsUnsetTimes ? {} : { creationTimestamp: null };
    assert.deepEqual(objectOf(storedSpec['template'])['metadata'], { ...unset, labels });
  });

  test('several ports of a Service need names, and no two ports may be the same', async (at) => {
    const post = (ports: readonly JsonObject[]) => at.post('services', { metadata: { name: 'web' }, spec: { ports } });
    const nameless = refused(await post([{ port: 80 }, { port: 81, name: 'b' }]), 422, 'Invalid');
    assert.match(String(nameless['message']), /spec\.ports\[0\]\.name: Required value$/);
    const same = refused(
      await post([
        { port: 80, name: 'a' },
        { port: 80, name: 'b' },
      ]),
      422,
      'Invalid',
    );
    assert.match(String(same['message']), /spec\.ports\[1\]: Duplicate value: /);
    body(
      await post([
        { port: 80, name: 'a' },
        { port: 80, protocol: 'UDP', name: 'b' },
      ]),
      201,
    );
    const emptied = await at.patch('services', 'web', { spec: { externalIPs: [] } });
    assert.equal(objectOf(emptied['spec'])['externalIPs'], undefined);
  });
}
