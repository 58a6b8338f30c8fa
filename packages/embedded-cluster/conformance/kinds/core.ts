import assert from 'node:assert/strict';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, names, pod, refused } from '../target.ts';
import { watch } from '../watch/watching.ts';

/** Defaults and validation of the core kinds. */
export function testCoreKinds(test: NamespaceTest): void {
  test('pods get the defaults that controllers rely on', async (at) => {
    const { spec, status } = await at.create('pods', pod('web'));
    const { restartPolicy, terminationGracePeriodSeconds, dnsPolicy, schedulerName } = objectOf(spec);
    assert.deepEqual(
      [restartPolicy, terminationGracePeriodSeconds, dnsPolicy, schedulerName],
      ['Always', 30, 'ClusterFirst', 'default-scheduler'],
    );
    const [container] = arrayOf(objectOf(spec)['containers']).map(objectOf);
    assert.equal(container?.['imagePullPolicy'], 'IfNotPresent');
    assert.deepEqual(status, { phase: 'Pending', qosClass: 'BestEffort' });
  });

  test('pods without containers, or with unnamed ones, are refused', async (at) => {
    const none = refused(await at.post('pods', { metadata: { name: 'a' } }), 422, 'Invalid');
    assert.equal(none['message'], 'Pod "a" is invalid: spec.containers: Required value');
    const nameless = { metadata: { name: 'a' }, spec: { containers: [{ image: 'x:1' }] } };
    refused(await at.post('pods', nameless), 422, 'Invalid');
  });

  test('EndpointSlices need an address type, which is immutable, and write empty lists as null', async (at) => {
    const slice = {
      metadata: { name: 'a' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'] }],
      ports: [{ port: 80 }],
    };
    const object = await at.create('endpointslices', slice);
    assert.deepEqual(object['endpoints'], [{ addresses: ['10.0.0.1'], conditions: {} }]);
    assert.deepEqual(object['ports'], [{ name: '', protocol: 'TCP', port: 80 }]);
    const emptied = await at.patch('endpointslices', 'a', { endpoints: [] });
    assert.equal(emptied['endpoints'], null);
    const path = at.path('endpointslices');
    refused(await at.send('POST', path, { body: { metadata: { name: 'b' }, endpoints: [] } }), 422, 'Invalid');
    refused(await at.send('POST', path, { body: { metadata: { name: 'b' }, addressType: 'Other' } }), 422, 'Invalid');
    const options = { body: { addressType: 'IPv6' }, contentType: 'application/merge-patch+json' };
    const status = refused(await at.send('PATCH', at.path('endpointslices', 'a'), options), 422, 'Invalid');
    assert.match(String(status['message']), /addressType: Invalid value: "IPv6": field is immutable/);
  });

  test('a Service gets a cluster IP, which does not change', async (at) => {
    const service = await at.create('services', { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
    const { clusterIP, type, ports } = objectOf(service['spec']);
    assert.match(String(clusterIP), /^10\.96\.\d+\.\d+$/);
    assert.deepEqual([type, ports], ['ClusterIP', [{ protocol: 'TCP', port: 80, targetPort: 80 }]]);
    const options = { body: { metadata: { name: 'web' }, spec: { ports: [{ port: 81 }] } } };
    const updated = body(await at.send('PUT', at.path('services', 'web'), options), 200);
    assert.equal(objectOf(updated['spec'])['clusterIP'], clusterIP);
    const headless = { metadata: { name: 'headless' }, spec: { clusterIP: 'None', ports: [{ port: 80 }] } };
    assert.equal(objectOf((await at.create('services', headless))['spec'])['clusterIP'], 'None');
    refused(await at.post('services', { metadata: { name: 'a.b' }, spec: { ports: [{ port: 1 }] } }), 422, 'Invalid');
  });

  test('the times of a Lease have microseconds', async (at) => {
    const spec = {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-02T03:04:05.678901Z',
      leaseTransitions: 2,
    };
    const object = await at.create('leases', { metadata: { name: 'a' }, spec });
    assert.deepEqual(object['spec'], spec);
    assert.deepEqual((await at.create('leases', { metadata: { name: 'b' } }))['spec'], {});
  });

  test('Events are the same objects in both API groups', async (at, t) => {
    const regarding = { kind: 'Pod', namespace: at.name, name: 'web' };
    const event = {
      metadata: { generateName: 'weeder-', labels: { by: 'test' } },
      eventTime: '2026-01-02T03:04:05.678901Z',
      reportingController: 'weeder.dev/weeder',
      reportingInstance: 'weeder-0',
      action: 'Delete',
      reason: 'PodDeleted',
      type: 'Normal',
      note: 'deleted',
      regarding,
    };
    const object = await at.create('events.k8s.io', event);
    assert.equal(object['apiVersion'], 'events.k8s.io/v1');
    assert.deepEqual(
      [object['note'], object['regarding'], object['eventTime']],
      ['deleted', regarding, event.eventTime],
    );
    const name = String(meta(object)['name']);
    const core = await at.get('events', name);
    assert.deepEqual([core['apiVersion'], core['message'], core['involvedObject']], ['v1', 'deleted', regarding]);
    assert.equal(core['reportingComponent'], 'weeder.dev/weeder');
    const byObject = `?fieldSelector=${encodeURIComponent('involvedObject.name=web,reason=PodDeleted')}`;
    assert.deepEqual(names(body(await at.send('GET', `${at.path('events')}${byObject}`), 200)), [name]);
    const byController = '?fieldSelector=reportingController%3Dweeder.dev/weeder';
    assert.deepEqual(names(body(await at.send('GET', `${at.path('events.k8s.io')}${byController}`), 200)), [name]);
    const seen = await watch(t, at.target, at.path('events.k8s.io'), 'resourceVersion=0&labelSelector=by');
    const added = await seen.next();
    assert.deepEqual([added.object['apiVersion'], added.object['note']], ['events.k8s.io/v1', 'deleted']);
  });

  test('incomplete Events are refused', async (at) => {
    refused(await at.post('events.k8s.io', { metadata: { name: 'a' }, reason: 'x' }), 422, 'Invalid');
    const elsewhere = { metadata: { name: 'a' }, involvedObject: { namespace: 'other', name: 'x' } };
    const status = refused(await at.post('events', elsewhere), 422, 'Invalid');
    assert.match(String(status['message']), /involvedObject\.namespace: Invalid value: "other": does not match/);
    const involvedObject = { kind: 'Pod', namespace: at.name, name: 'x' };
    body(await at.post('events', { metadata: { name: 'a' }, involvedObject, reason: 'x', message: 'y' }), 201);
  });

  test('the selector of a ReplicaSet must match its template', async (at) => {
    const containers = [{ name: 'main', image: 'registry.invalid/none:1' }];
    const set = (app: string) => ({
      metadata: { name: 'web' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app } }, spec: { containers } },
      },
    });
    const status = refused(await at.post('replicasets', set('other')), 422, 'Invalid');
    assert.match(String(status['message']), /`selector` does not match template `labels`/);
    const replicaSet = await at.create('replicasets', set('web'));
    assert.deepEqual([meta(replicaSet)['generation'], objectOf(replicaSet['status'])['replicas']], [1, 0]);
    const template = objectOf(objectOf(replicaSet['spec'])['template']);
    assert.equal(objectOf(template['spec'])['restartPolicy'], 'Always');
    assert.equal(meta(await at.patch('replicasets', 'web', { spec: { minReadySeconds: 1 } }))['generation'], 2);
  });

  test('Endpoints and PodDisruptionBudgets are stored', async (at) => {
    const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }];
    const endpoints = await at.create('endpoints', { metadata: { name: 'web' }, subsets });
    assert.deepEqual(endpoints['subsets'], subsets);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    const budget = await at.create('poddisruptionbudgets', { metadata: { name: 'web' }, spec });
    assert.deepEqual([budget['spec'], meta(budget)['generation']], [spec, 1]);
  });

  test('unknown fields are dropped', async (at) => {
    const object = await at.create('leases', { ...lease('a'), status: { x: 1 }, invented: true });
    assert.deepEqual([object['status'], object['invented']], [undefined, undefined]);
  });
}
