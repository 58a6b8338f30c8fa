import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import { classify } from '@weeder/kube-runtime/client';
import { clientOf, statusBody, virtualClock } from '@weeder/kube-runtime/testing';

/** Makes an API server that answers `GET` by path fail with this HTTP status. */
export interface Refusing {
  readonly status: number;
}

/** A client of an API server that serves these documents; any other path gives 404. */
export function discoveryClient(documents: Record<string, object | Refusing | null>) {
  const clock = virtualClock();
  const requests: ApiRequest[] = [];
  const client = clientOf(async (request) => {
    requests.push(request);
    return answerOf(documents[request.path], request.etag);
  });
  return { clock, client, requests, documents, asked: () => requests.map(({ path }) => path) };
}

function answerOf(document: object | Refusing | null | undefined, knownEtag: string | undefined): ApiResult {
  if (document === null) return { ok: true, status: 200, body: null };
  const code = document === undefined ? 404 : 'status' in document ? Number(document.status) : 200;
  if (code >= 400) return { ok: false, failure: classify(code, {}, statusBody(code, 'Refused', 'no'), 0) };
  const etag = JSON.stringify(document);
  return etag === knownEtag
    ? { ok: true, status: 304, body: undefined, etag }
    : { ok: true, status: 200, body: document, etag };
}

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** A version of an APIGroupDiscoveryList that serves these kinds: `Widget`, or with a scope of its own. */
export function aggregatedVersion(
  version: string,
  kinds: readonly string[],
  { freshness = 'Current', scope = 'Namespaced' } = {},
) {
  const resources = kinds.map((kind) => ({
    resource: `${kind.toLowerCase()}s`,
    responseKind: { group: 'x', version, kind },
    scope,
    verbs,
    subresources: [{ subresource: 'status', responseKind: { group: 'x', version, kind }, verbs }],
  }));
  return { version, freshness, resources };
}

/** Everything served below `/apis`, by group. */
export function aggregatedList(groups: Readonly<Record<string, readonly object[]>>) {
  const items = Object.entries(groups).map(([name, versions]) => ({ metadata: { name }, versions }));
  return { kind: 'APIGroupDiscoveryList', items };
}

/** An OpenAPI document of these kinds, whose `tags` are a set. */
export function openApiOf(...kinds: readonly string[]) {
  const tags = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } };
  const schema = (kind: string) => ({
    properties: { tags },
    'x-kubernetes-group-version-kind': [{ group: 'example.org', version: 'v1', kind }],
  });
  return { components: { schemas: Object.fromEntries(kinds.map((kind) => [`org.example.v1.${kind}`, schema(kind)])) } };
}

/** The index of the OpenAPI documents, which lists one of them with this hash. */
export function openApiIndexOf(hash: string) {
  return { paths: { 'apis/example.org/v1': { serverRelativeURL: `/openapi/v3/x?hash=${hash}` } } };
}
