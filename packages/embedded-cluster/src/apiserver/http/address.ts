import type { Resource } from '../registry/resource.ts';

/** What the path of a request addresses. */
export type Address =
  /** A resource, or one object of it, or a subresource of an object. */
  | {
      readonly type: 'resource';
      readonly resource: Resource;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
      readonly subresource: string | undefined;
    }
  /** A resource that a known group does not have. */
  | { readonly type: 'unknownResource' }
  /** `/`, `/version`, `/api…`, or an unknown path. */
  | { readonly type: 'other'; readonly path: string };

/** Parses a path, `/api/v1/…` or `/apis/GROUP/VERSION/…`. */
export function addressOf(resources: readonly Resource[], path: string): Address {
  const [first = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1).map(decoded);
  const groupVersion = first === 'api' ? rest.splice(0, 1) : first === 'apis' ? rest.splice(0, 2) : [];
  const [group, version] = first === 'api' ? ['', groupVersion[0]] : groupVersion;
  const inGroup = resources.filter((each) => each.group === group);
  const inVersion = inGroup.filter((each) => each.version === version);
  // The response for groups of custom resources is a plain 404, without a Status.
  const unknown: Address = inGroup.every(({ isCustom }) => isCustom)
    ? { type: 'other', path }
    : { type: 'unknownResource' };
  if (inGroup.length > 0 && version !== undefined && inVersion.length === 0) return unknown;
  if (inVersion.length === 0 || rest.length === 0) return { type: 'other', path };
  return resourceAddress(inVersion, rest) ?? unknown;
}

const namespaceSubresources = new Set(['status', 'finalize']);

function resourceAddress(resources: readonly Resource[], path: readonly string[]): Address | undefined {
  const [first, namespace, third] = path;
  const isWithin = first === 'namespaces' && third !== undefined && !namespaceSubresources.has(third);
  const [plural, name, subresource, ...more] = isWithin ? path.slice(2) : path;
  const resource = resources.find((each) => each.plural === plural);
  if (resource === undefined || more.length > 0) return undefined;
  if (resource.isNamespaced ? !isWithin && name !== undefined : isWithin) return undefined;
  if (subresource !== undefined && !hasSubresource(resource, subresource)) return undefined;
  return { type: 'resource', resource, namespace: isWithin ? namespace : undefined, name, subresource };
}

function hasSubresource(resource: Resource, subresource: string): boolean {
  return (subresource === 'status' && resource.hasStatus) || resource.subresources.some((each) => each === subresource);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
