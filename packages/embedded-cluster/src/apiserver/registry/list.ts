import { isObject } from '../../base/json.ts';
import { failed, messageOf, ok } from '../../base/result.ts';
import type { KubeObject } from '../meta/objects.ts';
import { badRequest, expired, type Outcome, versionTooLarge } from '../meta/status.ts';
import type { Selection } from '../selectors/selection.ts';
import type { ObjectKey } from '../storage/collection.ts';
import type { Storage } from '../storage/storage.ts';
import type { Resource } from './resource.ts';

/** The options of a list; by default it is the complete latest state. */
export interface ListOptions {
  /** 0 means no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: number;
  readonly continueToken: string | undefined;
  /** The approximate number of later items; undefined if a selector is given. */
  readonly remaining: number | undefined;
}

/** Where a page begins: its version, and the object after which it starts. */
interface Start {
  readonly version: number;
  readonly after: ObjectKey | undefined;
}

const tokenVersion = 'meta.k8s.io/v1';
const tooOld = 'The resourceVersion for the provided list is too old.';
const tokenTooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * Returns one page of a list, consistent with the previous pages. Fails with 400, 410 (too old), 504 (in the future).
 */
export function list(storage: Storage, resource: Resource, selection: Selection, options: ListOptions): Outcome<Page> {
  const start = startOf(storage, resource, selection, options);
  if (!start.ok) return start;
  const { version, after } = start.value;
  // Version 0 means any version, and such a list is never paged.
  const limit = options.resourceVersion === '0' || options.limit <= 0 ? Number.POSITIVE_INFINITY : options.limit;
  const collection = storage.collectionOf(resource);
  const isNow = version === storage.version;
  const items: KubeObject[] = [];
  let hasMore = false;
  const range = { namespace: selection.namespace, after, version: isNow ? undefined : version };
  for (const object of collection.scan(range)) {
    if (!selection.matches(object)) continue;
    if (items.length === limit) {
      hasMore = true;
      break;
    }
    items.push(object);
  }
  const last = items.at(-1);
  if (!hasMore || last === undefined) {
    return ok({ items, resourceVersion: version, continueToken: undefined, remaining: undefined });
  }
  const lastKey = keyOf(last);
  const remaining = selection.isAll ? collection.countAfter(selection.namespace, lastKey) : undefined;
  return ok({ items, resourceVersion: version, continueToken: tokenOf(version, lastKey, selection), remaining });
}

function startOf(storage: Storage, resource: Resource, selection: Selection, options: ListOptions): Outcome<Start> {
  const { oldestVersion } = storage.collectionOf(resource).history;
  if (options.continueToken !== '') {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      return failed(badRequest('specifying resource version is not allowed when using continue'));
    }
    const start = readToken(storage.version, options.continueToken, selection.namespace);
    if (!start.ok || start.value.version >= oldestVersion) return start;
    const { after } = start.value;
    const token = after === undefined ? undefined : tokenOf(-1, after, selection);
    return failed({ ...expired(tokenTooOld), metadata: token === undefined ? {} : { continue: token } });
  }
  const version = Number(options.resourceVersion || '0');
  if (version > storage.version) return failed(versionTooLarge(version, storage.version));
  if (!isExact(options)) return ok({ version: storage.version, after: undefined });
  return version < oldestVersion ? failed(expired(tooOld)) : ok({ version, after: undefined });
}

/** For compatibility, a limit with a version and without resourceVersionMatch means exactly that version. */
function isExact({ limit, resourceVersion, resourceVersionMatch }: ListOptions): boolean {
  if (resourceVersion === '' || resourceVersion === '0') return false;
  return resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0);
}

function keyOf({ metadata }: KubeObject): ObjectKey {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

/** The real server's format: the start key ends with a zero byte. Version -1 means the latest. */
function tokenOf(version: number, { namespace, name }: ObjectKey, selection: Selection): string {
  const isWithin = selection.namespace !== undefined || namespace === '';
  const start = isWithin ? `${name}\0` : `${namespace}/${name}\0`;
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: version, start })).toString('base64url');
}

function readToken(current: number, token: string, namespace: string | undefined): Outcome<Start> {
  const decoded = parseToken(token);
  if (typeof decoded === 'string') {
    return failed(badRequest(`invalid continue token: continue key is not valid: ${decoded}`));
  }
  const key = decoded.start.replace(/\0$/, '').split('/');
  const name = key.pop() ?? '';
  const version = decoded.rv === -1 ? current : decoded.rv;
  return ok({ version, after: { namespace: namespace ?? key.pop() ?? '', name } });
}

/** Returns a message if the token is invalid. */
function parseToken(token: string): { readonly rv: number; readonly start: string } | string {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (!isObject(parsed) || parsed['v'] !== tokenVersion) return 'unknown version';
    const { rv, start } = parsed;
    return typeof rv === 'number' && typeof start === 'string' ? { rv, start } : 'fields are missing';
  } catch (error) {
    return messageOf(error);
  }
}

/** Validates a resourceVersion; undefined if it is valid. */
export function versionError(resourceVersion: string): string | undefined {
  if (/^\d*$/.test(resourceVersion)) return undefined;
  const text = JSON.stringify(resourceVersion);
  return `resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: invalid syntax`;
}
