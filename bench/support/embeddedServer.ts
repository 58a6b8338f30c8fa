/**
 * The embedded API server in a separate process, filled with pods on request. A real API server would need minutes for
 * 100,000 pods. Started by embeddedCluster.ts.
 */

import { endpointSlices, namespaces, pods } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import { dependsOn } from '../../src/weeder/declared/declaration.ts';
import { crashLoopBackOff, running } from '../../test/cluster/support/observer/statuses.ts';
import { embedded } from '../../test/support/world/embedded.ts';
import { Fill } from './embeddedCluster.ts';
import { podBody, podStatus } from './podBody.ts';

const Request = z.union([
  z.object({ fill: Fill }),
  z.object({ change: z.object({ events: z.number(), isCrashing: z.boolean() }) }),
]);

await using cluster = await embedded({ historyLimit: 50_000 });
const { store } = cluster.server;
const names: { readonly namespace: string; readonly name: string }[] = [];

function create(object: JsonObject, resource: typeof pods | typeof namespaces | typeof endpointSlices): void {
  const outcome = store.create(resource, object);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
}

/** Creates healthy pods, distributed over the namespaces and the apps. */
function fill({ pods: count, namespaces: namespaceCount, role, apps, isDeclaring }: Fill): void {
  for (let index = 0; index < namespaceCount; index += 1)
    create({ metadata: { name: `shoot-${index + 1}` } }, namespaces);
  for (let index = 0; index < count; index += 1) {
    const [namespace, name] = [`shoot-${(index % namespaceCount) + 1}`, `kube-apiserver-${index}`];
    const app = `app-${index % apps}`;
    create(podBody(name, { role, app, ...(isDeclaring ? { [dependsOn]: app } : {}) }, namespace), pods);
    if (isDeclaring && index < apps) createService(namespace, app);
    report(namespace, name, false);
    names.push({ namespace, name });
  }
}

/** It exists, so that weeder reports no misspelt declaration, and is not ready, so that it has no actor. */
function createService(namespace: string, name: string): void {
  const labels = { 'kubernetes.io/service-name': name };
  create({ metadata: { name, namespace, labels }, addressType: 'IPv4', endpoints: [] }, endpointSlices);
}

function report(namespace: string, name: string, isCrashing: boolean): void {
  const status = podStatus(isCrashing ? crashLoopBackOff(5) : running());
  const outcome = store.patch(pods, namespace, name, { status }, { subresource: 'status' });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
}

/** Pauses after each hundred changes, so that the events are sent as they occur. */
async function change(events: number, isCrashing: boolean): Promise<void> {
  for (let index = 0; index < events; index += 1) {
    const pod = names[index % names.length];
    if (pod !== undefined) report(pod.namespace, pod.name, isCrashing);
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function handle(message: unknown): Promise<void> {
  const request = Request.parse(message);
  if ('fill' in request) fill(request.fill);
  else await change(request.change.events, request.change.isCrashing);
  process.send?.({ done: true });
}

process.on('message', (message) => void handle(message));
const disconnected = Promise.withResolvers<void>();
process.on('disconnect', () => disconnected.resolve());
process.send?.({ kubeconfig: cluster.kubeconfig });
await disconnected.promise;
