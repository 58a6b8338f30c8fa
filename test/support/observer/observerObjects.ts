import type { ApiServer } from '@weeder/embedded-cluster';
import { wireObject } from '@weeder/embedded-cluster/registry';
import { customResourceDefinitions, namespaces } from '@weeder/embedded-cluster/resources';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';
import { definitionOf } from '../objects/definition.ts';
import { made } from '../world/embedded.ts';
import { applications } from '../world/simulatedServer.ts';
import type { Stored } from './backUp.ts';

const namespace = 'shop';
const kubectl = { manager: 'kubectl' };

/** How another client writes. */
interface Writer {
  readonly manager?: string;
  readonly subresource?: 'status' | 'scale';
  /** Whether it applies the patch, and takes its fields from their owners. */
  readonly isApply?: true;
}

/** What users and other clients do to the applications and objects of a cluster. An object is `Deployment/web`. */
export type ObserverObjects = ReturnType<typeof observerObjects>;

export function observerObjects(server: () => ApiServer) {
  const store = () => server().store;
  let applied = 0;

  const served = (kind: unknown) => server().storage.resources.find((each) => each.kind === kind);

  /** Undefined: the object does not exist, or its kind is not served. */
  function stored(text: string) {
    const [kind = '', name = ''] = text.split('/');
    const resource = served(kind);
    const place = resource?.isNamespaced ? namespace : '';
    const object = resource === undefined ? undefined : store().get(resource, place, name);
    return resource === undefined || object === undefined ? undefined : { resource, place, name, object };
  }

  function existing(text: string) {
    const entry = stored(text);
    if (entry === undefined) throw new Error(`${text} does not exist`);
    return entry;
  }

  /** As an older definition of the kind allowed it. */
  function setStatus(name: string, status: JsonObject | undefined): void {
    const { status: _, ...application } = existing(`Application/${name}`).object;
    server().storage.put(applications, status === undefined ? application : { ...application, status });
  }

  return {
    /** A user creates the application, or sets this spec. */
    apply(name: string, spec: JsonObject, more: JsonObject = {}) {
      const application = store().get(applications, namespace, name);
      if (application !== undefined) {
        made(
          store().update(
            applications,
            { ...application, metadata: { ...application.metadata, ...more }, spec },
            kubectl,
          ),
        );
        return;
      }
      const draft = { metadata: { name, namespace, ...more }, spec };
      const created = made(store().create(applications, draft, { ...kubectl, dryRun: true }));
      applied += 1;
      // The server sets the time of creation, but a restored object may have any. The uid is the same in each run.
      const metadata = { ...created.metadata, uid: `application-${applied}`, ...more };
      server().storage.put(applications, { ...created, metadata });
    },
    /** A user deletes the application: it exists until its finalizer is removed. */
    deleteApplication: (name: string) => void made(store().delete(applications, namespace, name)),
    /** Another client empties its status. */
    clearStatus: (name: string) => setStatus(name, undefined),
    /** Another client replaces its status. */
    replaceStatus: (name: string, status: JsonObject) => setStatus(name, JSON.parse(JSON.stringify(status))),
    application: (name: string) => wired(stored(`Application/${name}`)),
    object: (text: string) => wired(stored(text)),
    /** Another client applies a merge patch. */
    edit(text: string, patch: JsonObject, { manager = 'editor', subresource, isApply }: Writer = {}) {
      const { resource, place, name, object } = existing(text);
      const { kind, apiVersion } = object;
      const body = { kind, apiVersion, ...patch, metadata: { name, namespace: place } };
      made(
        isApply
          ? store().apply(resource, body, { manager, isForced: true })
          : store().patch(resource, place, name, patch, { manager, subresource }),
      );
    },
    /** Another client creates an object that no application owns. */
    put(object: JsonObject) {
      const resource = served(object['kind']);
      if (resource === undefined) throw new Error('its kind is not served');
      const { kind: _kind, apiVersion: _apiVersion, ...draft } = object;
      made(store().create(resource, draft, kubectl));
    },
    /** Another client deletes an object, and its finalizers. */
    remove(text: string) {
      const { resource, place, name, object } = existing(text);
      if (object.metadata.finalizers !== undefined)
        made(store().patch(resource, place, name, { metadata: { finalizers: null } }, kubectl));
      if (store().get(resource, place, name) !== undefined) made(store().delete(resource, place, name));
    },
    /** Another client deletes an object that has a finalizer. */
    terminate(text: string) {
      const { resource, place, name } = existing(text);
      made(store().patch(resource, place, name, { metadata: { finalizers: ['example.org/stay'] } }, kubectl));
      made(store().delete(resource, place, name));
    },
    /** Another client deletes the namespace, and with it its objects. */
    endNamespace: () => void made(store().delete(namespaces, '', namespace)),
    /** The cluster serves this kind from now on, and only in this version. */
    serve(kind: RestMapping, schema?: JsonObject) {
      const { metadata, spec } = definitionOf(kind, schema);
      const definition = store().get(customResourceDefinitions, '', metadata.name);
      if (definition === undefined) made(store().create(customResourceDefinitions, { metadata, spec }, kubectl));
      else {
        const before = arrayOf(objectOf(definition['spec'])['versions']).map(objectOf);
        const others = before.filter(({ name }) => name !== kind.version);
        const versions = [...others.map((each) => ({ ...each, served: false, storage: false })), ...spec.versions];
        made(store().update(customResourceDefinitions, { ...definition, spec: { ...spec, versions } }, kubectl));
      }
    },
    /** The definition of the kind is deleted, and with it all objects. */
    stopServing: ({ plural, group }: RestMapping) =>
      void made(store().delete(customResourceDefinitions, '', `${plural}.${group}`)),
  };
}

function wired(stored: Stored | undefined): JsonObject | undefined {
  return stored === undefined ? undefined : JSON.parse(JSON.stringify(wireObject(stored.resource, stored.object)));
}
