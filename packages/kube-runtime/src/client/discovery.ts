import { arrayOf, objectOf, textOf } from '../base/json.ts';
import { groupPath, groupVersionPath } from '../objects/apiPath.ts';
import type { ApiResult, KubeClient, StreamResult } from './client.ts';
import type { ApiFailure } from './failure.ts';
import type { ApiRequest } from './request.ts';

/** Group, namespace, kind and the rest of `/apis/argoproj.io/*` + `/namespaces/shop/Rollout/web`. */
const unresolved = /^\/apis\/([^/]+)\/\*((?:\/namespaces\/[^/]+)?)\/([^/]+)((?:\/.*)?)$/;

/** The path of a group version, and the resource in it. */
interface Served {
  readonly version: string;
  readonly resource: string;
}

interface Failed {
  readonly ok: false;
  readonly failure: ApiFailure;
}

type Discovered = { readonly ok: true; readonly served: Served } | Failed;

/**
 * Wraps the client so that it discovers the version and the resource of a kind whose path has `*` and the kind in their
 * places. What was found is kept until a request is answered with 404: the kind may be gone, or have another version.
 */
export function discoveringClient(client: KubeClient): KubeClient {
  const found = new Map<string, Promise<Discovered>>();

  async function discover(group: string, kind: string): Promise<Discovered> {
    const versions = await client.call({ method: 'GET', path: groupPath(group) });
    if (!versions.ok) return versions;
    for (const version of versionsIn(versions.body)) {
      const resources = await client.call({ method: 'GET', path: groupVersionPath(version) });
      if (!resources.ok) return resources;
      const resource = resourceIn(resources.body, kind);
      if (resource !== undefined) return { ok: true, served: { version, resource } };
    }
    // As the API server answers for a path that it does not serve: the object is not missing, but its kind.
    const message = `the API server serves no kind ${kind} in the group ${group}`;
    return { ok: false, failure: { type: 'badAnswer', status: 404, message } };
  }

  async function resolved<R extends ApiResult | StreamResult>(
    request: ApiRequest,
    send: (request: ApiRequest) => Promise<R>,
  ): Promise<R | Failed> {
    const [, group = '', place = '', kind = '', rest = ''] = unresolved.exec(request.path) ?? [];
    if (group === '') return send(request);
    const key = `${kind}.${group}`;
    const discovery = found.get(key) ?? discover(group, kind);
    found.set(key, discovery);
    const discovered = await discovery;
    const forget = () => found.get(key) === discovery && found.delete(key);
    if (!discovered.ok) {
      forget();
      return discovered;
    }
    const { version, resource } = discovered.served;
    const result = await send({ ...request, path: `${groupVersionPath(version)}${place}/${resource}${rest}` });
    if (!result.ok && result.failure.status === 404) forget();
    return result;
  }

  return {
    ...client,
    call: (request) => resolved<ApiResult>(request, client.call),
    openStream: (request) => resolved<StreamResult>(request, client.openStream),
  };
}

/** The versions of an APIGroup such as `argoproj.io/v1alpha1`, the preferred one first. */
function versionsIn(body: unknown): ReadonlySet<string> {
  const { preferredVersion, versions } = objectOf(body);
  return new Set(
    [preferredVersion, ...arrayOf(versions)].flatMap((each) => textOf(objectOf(each)['groupVersion']) ?? []),
  );
}

/** The resource of a kind in an APIResourceList; the names of subresources have a slash. */
function resourceIn(body: unknown, kind: string): string | undefined {
  const rows = arrayOf(objectOf(body)['resources']).map(objectOf);
  const row = rows.find((each) => each['kind'] === kind && textOf(each['name'])?.includes('/') === false);
  return textOf(row?.['name']);
}
