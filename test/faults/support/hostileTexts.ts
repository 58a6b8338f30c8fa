import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setPodStatus, type TestNamespace, type WeederProcess } from '../../cluster/support/cluster.ts';
import { crashLoopBackOff } from '../../cluster/support/observer/statuses.ts';

/** The limit of the manifests. From sources instead of the bundle, weeder takes about 60 MiB more. */
const mebibytes = 256 + 60;
/** Those of the manifests. */
export const nodeOptions = '--max-old-space-size=128 --max-semi-space-size=2';

/** Asserts that weeder has never used more memory than the manifests grant, and writes short lines. Returns MiB. */
export function assertSmall({ pid, log }: WeederProcess): number {
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const used = Number(peak) >> 10;
  assert.ok(used < mebibytes, `${used} MiB`);
  for (const line of log.lines) assert.ok(JSON.stringify(line).length < 16_384, 'a line of the log is short');
  return used;
}

/** Creates so many objects, and deletes them when the test ends: other tests of the run read them as well. */
async function create(ns: TestNamespace, path: string, count: number, objectOf: (number: number) => object) {
  ns.after(() => ns.cluster.send('DELETE', path));
  for (let number = 0; number < count; number += 1) {
    const { status } = await ns.cluster.send('POST', path, { body: objectOf(number) });
    assert.equal(status, 201, path);
  }
}

/** Pods with the label, twenty services and an owner of 1.2 MB, which crash-loop with messages of 64 KiB. */
export async function createPods(ns: TestNamespace, count: number): Promise<void> {
  const services = Array.from({ length: 19 }, (_, index) => `service-${index}`).join();
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x'.repeat(1_200_000), uid: 'a', controller: true };
  await create(ns, ns.path('api/v1', 'pods'), count, (number) => ({
    metadata: {
      name: `hostile-${number}`,
      labels: { 'weeder.dev/depends-on': 'db' },
      annotations: { 'weeder.dev/depends-on-services': services },
      ownerReferences: [owner],
    },
    spec: { containers: [{ name: 'main', image: 'web' }], terminationGracePeriodSeconds: 0 },
  }));
  const state = crashLoopBackOff(3, `back-off 5m0s ${'x'.repeat(65_000)}`);
  for (let number = 0; number < count; number += 1) await setPodStatus(ns, `hostile-${number}`, state);
}

/** Events which say that a webhook refused pods of objects that do not exist. */
export async function createEvents(ns: TestNamespace, count: number, message: string): Promise<void> {
  await create(ns, ns.path('api/v1', 'events'), count, (number) => ({
    metadata: { name: `hostile-${number}` },
    reason: 'FailedCreate',
    message,
    involvedObject: { kind: 'ReplicaSet', namespace: ns.name, name: `forged-${number}`, uid: `${number}` },
  }));
}

/** Of 1.3 MB. */
export const longMessage = `failed calling webhook "policy.example.com": ${'x'.repeat(1_300_000)}`;

/** What endpoints say of their pods: the log of a pod, and objects in another namespace. */
const foreignPods = [
  { name: 'gone-1/log' },
  { name: '../../secrets/gone' },
  { namespace: 'kube-system', name: 'gone' },
];

/** EndpointSlices of a thousand endpoints, each of another service. Only the pods of the first can exist. */
export async function createSlices(ns: TestNamespace, count: number): Promise<void> {
  const addresses = Array.from({ length: 70 }, (_, index) => `10.0.0.${index + 1}`);
  await create(ns, ns.path('apis/discovery.k8s.io/v1', 'endpointslices'), count, (number) => {
    const target = (index: number) =>
      number === 0 ? { name: `asked-${index}` } : foreignPods[number % foreignPods.length];
    const endpoints = Array.from({ length: 1_000 }, (_, index) => ({
      addresses,
      targetRef: { kind: 'Pod', namespace: ns.name, ...target(index) },
    }));
    const labels = { 'kubernetes.io/service-name': `service-${number}` };
    return { addressType: 'IPv4', metadata: { name: `hostile-${number}`, labels }, endpoints };
  });
}

/** A value in so many mappings. */
export function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}
