/** One object of a collection, or a part of it, such as `log` of a pod. */
interface Place {
  /** Undefined: the whole cluster. */
  readonly namespace?: string | undefined;
  /** Undefined: the collection. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a group, which lists its versions: `/apis/apps`. */
export function groupPath(group: string): string {
  return pathOf(['apis', group]);
}

/** The path of a group version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return pathOf([parts.length === 1 ? 'api' : 'apis', ...parts]);
}

/**
 * Where the API serves a collection, or an object in it: `/apis/apps/v1/namespaces/shop/deployments/web`. Every part is
 * encoded: a name from the text of another object, such as `web/log`, would otherwise lead to another request.
 */
export function apiPath(apiVersion: string, plural: string, { namespace, name, subresource }: Place = {}): string {
  const place = namespace === undefined ? [] : ['namespaces', namespace];
  return groupVersionPath(apiVersion) + pathOf([...place, plural, name, subresource]);
}

function pathOf(parts: readonly (string | undefined)[]): string {
  return parts.map((part) => (part === undefined ? '' : `/${encodeURIComponent(part)}`)).join('');
}
