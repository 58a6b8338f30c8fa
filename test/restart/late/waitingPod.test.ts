import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { waitingPod } from '../../../src/restart/pods/waitingPod.ts';
import { reduceWaitingPods } from '../../../src/restart/recording/reducePodEvidence.ts';

const waiting = { name: 'app', restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } }, lastState: {} };
const secret = { name: 'password', secret: { secretName: 'password' } };

interface Parts {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

/** A pod whose volume waits for the Secret `password`, as a kubelet 1.36 reports it. */
function pod({ metadata = {}, spec = {}, status = {} }: Parts = {}): JsonObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4f8', uid: 'u-rs', controller: true };
  return {
    metadata: {
      name: 'web-5d4f8-abcde',
      namespace: 'shop',
      uid: 'u-pod',
      resourceVersion: '7',
      creationTimestamp: '2026-11-27T09:46:56Z',
      ownerReferences: [owner],
      ...metadata,
    },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'password', mountPath: '/password' }] }],
      volumes: [secret],
      ...spec,
    },
    status: {
      phase: 'Pending',
      startTime: '2026-11-27T09:46:57Z',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False' },
        { type: 'PodScheduled', status: 'True' },
      ],
      containerStatuses: [waiting],
      ...status,
    },
  };
}

test('a pod whose volumes are not mounted waits for their sources', () => {
  const read = waitingPod(pod());
  assert.deepEqual(read?.volumeSources, [{ kind: 'Secret', namespace: 'shop', name: 'password' }]);
  assert.equal(read?.waitsSince, Date.parse('2026-11-27T09:46:57Z'));
});

const others: Readonly<Record<string, Parts>> = {
  'a container runs': { status: { containerStatuses: [{ ...waiting, state: { running: {} } }] } },
  'a container has ended': { status: { containerStatuses: [{ ...waiting, state: { terminated: {} } }] } },
  'a container has run before': { status: { containerStatuses: [{ ...waiting, lastState: { terminated: {} } }] } },
  'a container was restarted': { status: { containerStatuses: [{ ...waiting, restartCount: 1 }] } },
  'an init container has completed': {
    status: { initContainerStatuses: [{ ...waiting, name: 'init', state: { terminated: { exitCode: 0 } } }] },
  },
  'its volumes are mounted': { status: { conditions: [{ type: 'PodReadyToStartContainers', status: 'True' }] } },
  'its kubelet does not report whether they are': { status: { conditions: [] } },
  'no kubelet has taken it': { status: { startTime: undefined } },
  'it is not scheduled': { spec: { nodeName: undefined } },
  'it runs': { status: { phase: 'Running' } },
  'it has failed': { status: { phase: 'Failed' } },
  'it is terminating': { metadata: { deletionTimestamp: '2026-11-27T09:50:00Z' } },
  'it has no identity': { metadata: { uid: undefined } },
  'it is to be ignored': { metadata: { annotations: { 'weeder.dev/ignore': 'true' } } },
  'it is a mirror pod': { metadata: { annotations: { 'kubernetes.io/config.mirror': 'abc' } } },
  'it has a claim, which a new pod might have to attach': {
    spec: { volumes: [secret, { name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
  },
  'it has a volume of a driver': { spec: { volumes: [secret, { name: 'data', csi: { driver: 'any' } }] } },
  'it has a volume of a type that is not known': { spec: { volumes: [secret, { name: 'data', other: {} }] } },
  'it has a projected source that may wait for its signer': {
    spec: { volumes: [{ name: 'all', projected: { sources: [{ podCertificate: {} }, { secret: { name: 'a' } }] } }] },
  },
};

for (const [what, parts] of Object.entries(others)) {
  test(`a pod does not wait for a source, or is left alone, if ${what}`, () => {
    assert.equal(waitingPod(pod(parts)), undefined);
  });
}

test('optional sources are not required, and a wrong key is a key that is required', () => {
  const optional = { name: 'more', configMap: { name: 'more', optional: true } };
  const one = { name: 'one', configMap: { name: 'settings', items: [{ key: 'a', path: 'a' }] } };
  const read = waitingPod(pod({ spec: { volumes: [optional, one] } }));
  assert.deepEqual(
    read?.requires.map(({ source, key }) => [source.name, key]),
    [['settings', 'a']],
  );
});

test('a pod waits for projected sources beside its token, and needs the sources of its environment too', () => {
  const sources = [
    { serviceAccountToken: { path: 'token' } },
    { downwardAPI: {} },
    { configMap: { name: 'settings' } },
  ];
  const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'password', key: 'word' } } }];
  const volumes = [
    { name: 'all', projected: { sources } },
    { name: 'tmp', emptyDir: {} },
  ];
  const read = waitingPod(pod({ spec: { volumes, containers: [{ name: 'app', env }] } }));
  assert.deepEqual(
    read?.volumeSources.map(({ name }) => name),
    ['settings'],
  );
  assert.deepEqual(read?.requires.map(({ source }) => source.name).toSorted(), ['password', 'settings']);
});

test('a recording keeps what decides about a waiting pod, no values, and no other pods', () => {
  const env = [{ name: 'A', value: 'hunter2' }];
  const whole = pod({ spec: { containers: [{ name: 'app', command: ['hunter2'], env }] } });
  const recorded = reduceWaitingPods([whole, ...Object.values(others).map(pod)]);
  assert.deepEqual(recorded.map(waitingPod), [waitingPod(whole)]);
  assert.equal(JSON.stringify(recorded).includes('hunter2'), false);
  assert.equal(objectOf(objectOf(recorded[0])['spec'])['nodeName'], 'node-1');
});
