import { failed, ok } from '../../base/result.ts';
import {
  badRequest,
  type FieldError,
  failure,
  fieldError,
  invalid,
  type Outcome,
  type Status,
} from '../meta/status.ts';
import { type ListOptions, versionError } from '../registry/list.ts';
import type { Resource } from '../registry/resource.ts';
import { type Selection, select } from '../selectors/selection.ts';

/** The options of a list or a watch. */
export interface CollectionQuery {
  readonly selection: Selection;
  readonly isWatch: boolean;
  readonly list: ListOptions;
  readonly hasBookmarks: boolean;
  /** Undefined if not given. */
  readonly sendInitialEvents: boolean | undefined;
  /** Undefined if the server chooses the timeout. */
  readonly timeoutSeconds: number | undefined;
}

/** Parses metav1.ListOptions. Fails with 400, 422, and 500 where the real server does. */
export function readCollectionQuery(
  resource: Resource,
  namespace: string | undefined,
  query: URLSearchParams,
): Outcome<CollectionQuery> {
  const isWatch = flag(query, 'watch') === true;
  const selection = select(resource, namespace, query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  if (!selection.ok) return selection;
  const refused = queryError(query, isWatch);
  if (refused !== undefined) return failed(refused);
  return ok({
    selection: selection.value,
    isWatch,
    list: {
      limit: Number(query.get('limit')),
      continueToken: query.get('continue') ?? '',
      resourceVersion: query.get('resourceVersion') ?? '',
      resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    },
    hasBookmarks: flag(query, 'allowWatchBookmarks') === true,
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    timeoutSeconds: Number(query.get('timeoutSeconds')) || undefined,
  });
}

function queryError(query: URLSearchParams, isWatch: boolean): Status | undefined {
  const number = ['limit', 'timeoutSeconds'].map((name) => query.get(name) ?? '').find((text) => !/^-?\d*$/.test(text));
  if (number !== undefined) return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(number)}: invalid syntax`);
  const errors = isWatch ? watchErrors(query) : listErrors(query);
  if (errors.length > 0) return invalid(listOptions, '', errors);
  const wrong = versionError(query.get('resourceVersion') ?? '');
  if (wrong === undefined) return undefined;
  return isWatch ? failure(500, undefined, wrong) : badRequest(`invalid resource version: ${wrong}`);
}

const listOptions = { group: 'meta.k8s.io', plural: 'listoptions', kind: 'ListOptions' };

/** Every value except `false` and `0` is true; undefined if the parameter is not given. */
function flag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

function watchErrors(query: URLSearchParams): readonly FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const field = 'resourceVersionMatch';
  if (!query.has('sendInitialEvents')) {
    if (match === '') return [];
    return [
      fieldError.forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    ];
  }
  if (match === 'NotOlderThan') return [];
  return [
    fieldError.forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ...(match === '' ? [] : [fieldError.unsupported(field, match, ['NotOlderThan'])]),
  ];
}

function listErrors(query: URLSearchParams): readonly FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const field = 'resourceVersionMatch';
  if (query.has('sendInitialEvents')) {
    return [fieldError.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  }
  if (match === '') return [];
  return [
    ...(version === ''
      ? [fieldError.forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided')]
      : []),
    ...(query.get('continue')
      ? [fieldError.forbidden(field, 'resourceVersionMatch is forbidden when continue is provided')]
      : []),
    ...(match === 'Exact' || match === 'NotOlderThan'
      ? []
      : [fieldError.unsupported(field, match, ['Exact', 'NotOlderThan', ''])]),
    ...(match === 'Exact' && version === '0'
      ? [fieldError.forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
  ];
}
