import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { ok } from '@weeder/kube-runtime/base';
import type { Config, ServiceConfig } from '../../src/config/config.ts';
import { explainedServices } from '../../src/explain/explainedServices.ts';
import { explainService } from '../../src/explain/explainService.ts';
import { externalNamesOf } from '../../src/explain/externalNames.ts';
import { inspectCluster } from '../../src/explain/inspectCluster.ts';
import { backOff, pod, slice } from '../support/objects/objects.ts';
import { declaringPod, listInto } from '../support/world/declaringPods.ts';
import { declaredConfig, serviceConfig } from '../support/world/simulation.ts';

interface Seen {
  readonly slices?: readonly object[];
  readonly pods?: readonly object[];
  readonly services?: readonly Partial<ServiceConfig>[];
  readonly whileNotReady?: 'hold' | 'delete';
}

async function explained(
  { slices = [], pods = [], services = [], whileNotReady = 'hold' }: Seen,
  objects: readonly JsonObject[] = [],
): Promise<string[]> {
  const configs = services.map(serviceConfig);
  const config: Config = {
    services: new Map(configs.map((each) => [each.name, each])),
    declared: declaredConfig({ whileNotReady }),
    restart: undefined,
  };
  const view = await inspectCluster(config, 'all', async ({ kind, sink }) => {
    listInto(sink, ...(kind === 'Pod' ? pods : slices));
    return ok(undefined);
  });
  assert.ok(view.ok);
  return explainedServices(view.value, externalNamesOf(objects)).flatMap((service) =>
    explainService(service).split('\n'),
  );
}

const sliceOf = (service: string, isReady: boolean) => slice({ namespace: 'shop', service, ready: [isReady] });
const web = declaringPod('db', { name: 'web-0', annotation: 'cache', containers: [backOff()] });
const deleted = 'would be deleted in a window';
const waits = (other: string) =>
  `would wait in a window, if weeder has seen ${other} ready before: another service on which the pod depends is down`;
const verdicts = (lines: readonly string[]) => lines.flatMap((line) => line.split('→ ')[1] ?? []);

test('a pod waits in a window while another service on which it depends is down, however it is named', async () => {
  const slices = [sliceOf('db', true), sliceOf('cache', false)];
  // The services stand in the order of their names.
  const declared = await explained({ slices, pods: [web] });
  assert.deepEqual(verdicts(declared), [deleted, waits('shop/cache')]);
  const selected = pod({ namespace: 'shop', containers: [backOff()] });
  const services = [{ name: 'db' }, { name: 'cache' }];
  assert.deepEqual(verdicts(await explained({ slices, services, pods: [selected] })), [waits('shop/cache'), deleted]);
});

test('a pod waits for no service that is ready, does not exist, or has whileNotReady: delete', async () => {
  const bothReady = [sliceOf('db', true), sliceOf('cache', true)];
  assert.deepEqual(verdicts(await explained({ slices: bothReady, pods: [web] })), [deleted, deleted]);
  assert.deepEqual(verdicts(await explained({ slices: [sliceOf('db', true)], pods: [web] })), [deleted, deleted]);
  const slices = [sliceOf('db', true), sliceOf('cache', false)];
  assert.deepEqual(verdicts(await explained({ slices, pods: [web], whileNotReady: 'delete' })), [deleted, deleted]);
});

function serviceObject(name: string, spec: object): JsonObject {
  return { kind: 'Service', metadata: { namespace: 'shop', name }, spec };
}

test('of a service of type ExternalName explain says what it is, and what to name instead', async () => {
  const external = (externalName: string) => [serviceObject('db', { type: 'ExternalName', externalName })];
  const what = (name: string) =>
    `is of type ExternalName (${name}): it has no EndpointSlices, and weeder cannot know whether it is ready; name`;
  const declares = declaringPod('db', { containers: [backOff()] });
  const inside = await explained({ pods: [declares] }, external('pg.data.svc.cluster.local'));
  const target = 'data/pg instead, the Service that it stands for';
  assert.equal(inside[1], `  ${what('pg.data.svc.cluster.local')} ${target}`);
  const outside = await explained({ services: [{ name: 'db' }] }, external('db.example.com'));
  const slices = 'a Service without a selector instead, whose EndpointSlices you keep up to date';
  assert.equal(outside[1], `  shop: ${what('db.example.com')} ${slices}`);
});

test('of any other service without an EndpointSlice explain says only that', async () => {
  const objects = [serviceObject('db', { type: 'ClusterIP' }), serviceObject('other', { type: 'ExternalName' })];
  const declared = await explained({ pods: [declaringPod('db', { containers: [backOff()] })] }, objects);
  assert.equal(declared[1], '  the namespace has no EndpointSlice of this service');
  const configured = await explained({ services: [{ name: 'db' }] }, objects);
  assert.equal(configured[1], '  no watched namespace has an EndpointSlice of this service');
});
