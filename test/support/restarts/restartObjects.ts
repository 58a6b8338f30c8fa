import type { ApiServer, KubeObject, Resource } from '@weeder/embedded-cluster';
import { create, decode, replace, wireObject } from '@weeder/embedded-cluster/registry';
import { configMaps, deployments, namespaces, pods, replicaSets, secrets } from '@weeder/embedded-cluster/resources';
import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { SourceRef } from '../../../src/restart/references/refs.ts';
import { made } from '../world/embedded.ts';

export const namespace = 'shop';
const kubectl = { manager: 'kubectl' };

/** What other clients do with the sources and Deployments of a cluster. Deployments are known by their names. */
export type RestartObjects = ReturnType<typeof restartObjects>;

export function restartObjects({ store, storage }: ApiServer) {
  const namespaceOf = new Map<string, string>();

  function put(resource: Resource, object: JsonObject): void {
    const draft = made(decode(resource, object));
    const { namespace: objectNamespace = '', name = '' } = draft.metadata;
    if (store.get(namespaces, '', objectNamespace) === undefined)
      made(store.create(namespaces, { metadata: { name: objectNamespace } }));
    if (store.get(resource, objectNamespace, name) === undefined)
      made(create(storage, resource, objectNamespace, draft, kubectl));
    else made(replace(storage, resource, objectNamespace, name, draft, kubectl));
  }

  function deployment(name: string): KubeObject {
    const stored = store.get(deployments, namespaceOf.get(name) ?? '', name);
    if (stored === undefined) throw new Error(`there is no Deployment ${name}`);
    return stored;
  }

  /** Applies a merge patch to a Deployment, or to its status. */
  function change(name: string, patch: JsonObject): void {
    const subresource = patch['status'] === undefined ? undefined : ('status' as const);
    made(store.patch(deployments, namespaceOf.get(name) ?? '', name, patch, { ...kubectl, subresource }));
  }

  function patchTemplate(name: string, template: JsonObject): void {
    change(name, { spec: { template } });
  }

  return {
    store,
    /** Creates or replaces a source. */
    putSource({ kind, ...ref }: SourceRef, data: Readonly<Record<string, string>>, more: JsonObject = {}) {
      const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
      const content = kind === 'Secret' ? Object.fromEntries(encoded) : data;
      put(resourceOf(kind), { ...more, metadata: { ...objectOf(more['metadata']), ...ref }, data: content });
    },
    deleteSource: (ref: SourceRef) => void store.delete(resourceOf(ref.kind), ref.namespace, ref.name),
    /** Creates or replaces a Deployment with one replica and this template. */
    putWorkload(
      name: string,
      spec: JsonObject,
      {
        annotations = {},
        namespace: workloadNamespace = namespace,
      }: { readonly annotations?: object; readonly namespace?: string } = {},
    ) {
      namespaceOf.set(name, workloadNamespace);
      const labels = { app: name };
      const template = { metadata: { labels }, spec };
      const metadata = { name, namespace: workloadNamespace, annotations };
      put(deployments, { metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
    },
    deleteWorkload: (name: string) => void store.delete(deployments, namespaceOf.get(name) ?? '', name),
    change,
    patchTemplate,
    annotate: (name: string, annotations: JsonObject) => change(name, { metadata: { annotations } }),
    /** Restores the template from before weeder's restart. */
    restoreTemplate(name: string) {
      patchTemplate(name, { metadata: { annotations: { 'weeder.dev/dependencies-hash': null } } });
    },
    /** `kubectl rollout undo`. */
    undo(name: string) {
      const now = deployment(name);
      const sets = store
        .list(replicaSets)
        .filter((set) => set.metadata.ownerReferences?.[0]?.['uid'] === now.metadata.uid);
      const [, previous] = sets.toSorted((a, b) => revisionOf(b) - revisionOf(a));
      const { metadata, spec } = objectOf(objectOf(previous?.['spec'])['template']);
      const { 'pod-template-hash': _hash, ...labels } = objectOf(objectOf(metadata)['labels']);
      const template = { metadata: { ...objectOf(metadata), labels }, spec };
      const annotations = previous?.metadata.annotations;
      const restored = {
        ...now,
        metadata: { ...now.metadata, annotations },
        spec: { ...objectOf(now['spec']), template },
      };
      made(store.update(deployments, restored, kubectl));
    },
    workload: (name: string): JsonObject => wireObject(deployments, deployment(name)),
    pods: (app: string): readonly JsonObject[] =>
      store.list(pods, { labelSelector: { matchLabels: { app } } }).map((pod) => wireObject(pods, pod)),
  };
}

function resourceOf(kind: SourceRef['kind']): Resource {
  return kind === 'Secret' ? secrets : configMaps;
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
}

export function configMap(name: string): SourceRef {
  return { kind: 'ConfigMap', namespace, name };
}

/** A template whose only container takes one key into its environment. */
export function withEnv(source: string, entry: string, isOptional = false): JsonObject {
  const configMapKeyRef = { name: source, key: entry, ...(isOptional ? { optional: true } : {}) };
  return { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'VALUE', valueFrom: { configMapKeyRef } }] }] };
}

/** The state that is stored on a workload. */
export function stateOn(object: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(object['metadata'])['annotations'])['weeder.dev/dependencies']);
}
