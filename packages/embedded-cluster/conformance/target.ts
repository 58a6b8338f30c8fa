import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf, textOf } from '../src/base/json.ts';
import type { ApiResponse, Client, Method, RequestOptions } from '../src/client.ts';

/** An API server under test: the embedded one or a real kube-apiserver. */
export interface Target {
  send(method: Method, path: string, options?: RequestOptions): Promise<ApiResponse>;
  lines: Client['lines'];
}

/** The node of bound pods, which the target has, if it deletes the pods of nodes that do not exist. */
export const boundNode = 'conformance-node';

/** Called inside the tests of the suite. */
export type GetTarget = () => Promise<Target>;

/** The namespace of one test. */
export type TestNamespace = Awaited<ReturnType<typeof createTestNamespace>>;

const groups: Readonly<Record<string, string>> = {
  endpointslices: '/apis/discovery.k8s.io/v1',
  leases: '/apis/coordination.k8s.io/v1',
  'events.k8s.io': '/apis/events.k8s.io/v1',
  poddisruptionbudgets: '/apis/policy/v1',
  replicasets: '/apis/apps/v1',
  deployments: '/apis/apps/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  cronjobs: '/apis/batch/v1',
  ingresses: '/apis/networking.k8s.io/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
  roles: '/apis/rbac.authorization.k8s.io/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
};

/** Creates a namespace, which remains until the API server stops. */
export async function createTestNamespace(getTarget: GetTarget) {
  const target = await getTarget();
  const name = `conformance-${randomBytes(5).toString('hex')}`;
  const answer = await target.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const path = (plural: string, object?: string) => {
    const resource = plural === 'events.k8s.io' ? 'events' : plural;
    return `${groups[plural] ?? '/api/v1'}/namespaces/${name}/${resource}${object === undefined ? '' : `/${object}`}`;
  };
  const { send } = target;
  const post = (plural: string, object: unknown) => send('POST', path(plural), { body: object });
  return {
    name,
    target,
    /** `path('pods')`, `path('pods', 'web')`, `path('pods', 'web/status')`. */
    path,
    send,
    /** One more namespace, for the same test. */
    another: () => createTestNamespace(getTarget),
    post,
    put: (plural: string, object: string, next: unknown) => send('PUT', path(plural, object), { body: next }),
    /** Returns what exists: an object, or a list. */
    get: async (plural: string, object?: string) => body(await send('GET', path(plural, object)), 200),
    create: async (plural: string, object: JsonObject) => body(await post(plural, object), 201),
    /** A merge patch. */
    async patch(plural: string, object: string, change: JsonObject) {
      const contentType = 'application/merge-patch+json';
      return body(await send('PATCH', path(plural, object), { body: change, contentType }), 200);
    },
  };
}

type RegisterTest = (title: string, act: (at: TestNamespace, t: TestContext) => Promise<void>) => void;

/** Registers a test, which gets a namespace of its own. */
export interface NamespaceTest extends RegisterTest {
  /** The same of a test that needs an API server which streams lists. */
  readonly withWatchList: RegisterTest;
}

export function testsOn(getTarget: GetTarget, hasWatchList = true): NamespaceTest {
  const registering =
    (skip: string | false): RegisterTest =>
    (title, act) =>
      void test(title, { skip }, async (t) => act(await createTestNamespace(getTarget), t));
  const withWatchList = registering(hasWatchList ? false : 'this API server does not stream lists');
  return Object.assign(registering(false), { withWatchList });
}

/** Asserts the status of a response, and returns its JSON. */
export function body(answer: ApiResponse, status: number): JsonObject {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return objectOf(answer.body);
}

/** Asserts that a response is a complete Status with this code and reason. */
export function refused(answer: ApiResponse, code: number, reason: string | undefined): JsonObject {
  const status = body(answer, code);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  const { kind, apiVersion, metadata, status: outcome } = status;
  assert.deepEqual([kind, apiVersion, outcome], ['Status', 'v1', 'Failure']);
  assert.equal(typeof metadata, 'object');
  assert.deepEqual([status['code'], status['reason']], [code, reason], JSON.stringify(status));
  return status;
}

export function meta(object: unknown): JsonObject {
  return objectOf(objectOf(object)['metadata']);
}

export function versionOf(object: unknown): string {
  return textOf(meta(object)['resourceVersion']) ?? '';
}

/** The names of the items of a list. */
export function names(list: unknown): readonly string[] {
  return arrayOf(objectOf(list)['items']).map((item) => textOf(meta(item)['name']) ?? '');
}

/** A Lease: no controller changes it. */
export function lease(name: string, labels: Readonly<Record<string, string>> = {}): JsonObject {
  return { metadata: { name, labels }, spec: { holderIdentity: 'me' } };
}

export function pod(name: string, more: { metadata?: JsonObject; spec?: JsonObject } = {}): JsonObject {
  return {
    metadata: { name, ...more.metadata },
    spec: { containers: [{ name: 'main', image: 'registry.invalid/none:1' }], ...more.spec },
  };
}
