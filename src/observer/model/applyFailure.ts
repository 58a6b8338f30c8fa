import { describeFailure, isImpersonationDenied } from '../../kube/client/describeFailure.ts';
import type { ApiFailure, FailureKind } from '../../kube/client/failure.ts';
import { isDenied, refuserOf } from '../../kube/client/refuser.ts';
import { isSecret } from './confidential.ts';
import { labelPath } from './fieldManagers.ts';
import { type Identity, identityText } from './identity.ts';
import { isImmutable } from './immutable.ts';

/** Why a request about one resource failed. */
export type ApplyFailureKind =
  /** The object does not exist. */
  | 'missing'
  /** The API server does not serve its kind, because its CustomResourceDefinition is missing or new. */
  | 'typeMissing'
  /**
   * The object has changed since it was read, or fields belong to other managers (`fields`). The caller decides again.
   */
  | 'conflict'
  /** Another application owns it (`by`), or another client wrote the label. */
  | 'claimed'
  /** These fields can only be set on a new object (`fields`). */
  | 'immutable'
  /** The API server would refuse the same request again. */
  | 'permanent'
  /** Its namespace is being deleted, so nothing can be created in it. */
  | 'namespaceTerminating'
  | 'forbidden'
  /** The failure may end without a change of the request. */
  | 'transient'
  /** The caller has stopped waiting. */
  | 'cancelled'
  /** Another object has its name. */
  | 'otherUid'
  /** The object is being deleted: an apply would be lost. */
  | 'terminating';

/** A failed request about one resource, as a value. For a Secret it has the code, the reason and the fields only. */
export interface ApplyFailure {
  readonly is: ApplyFailureKind;
  /** One or two sentences for users. */
  readonly reason: string;
  /** The server's Retry-After in milliseconds; 0 if it has none. */
  readonly retryAfter: number;
  /** The fields, as the server writes them: for a conflict as `pathText` does, otherwise `spec.ports[0]`. */
  readonly fields: readonly string[];
  /** For `claimed`: the other application (`namespace/name`), or the field manager if the application is unknown. */
  readonly by?: string;
  /** For `transient`: an address or a port is in use by another object, or was until a moment ago. */
  readonly isTaken?: true;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ApplyFailure };

/** The request, for the message about a missing permission. */
export interface AskedOf {
  readonly verb: 'get' | 'create' | 'patch' | 'delete';
  readonly identity: Identity;
  /** The resource name in the API: `deployments`. */
  readonly plural: string;
}

export function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** Returns a failure that weeder itself has found. */
export function failed(
  is: ApplyFailureKind,
  reason: string,
  more: Partial<Pick<ApplyFailure, 'fields' | 'by'>> = {},
): { readonly ok: false; readonly failure: ApplyFailure } {
  return { ok: false, failure: { is, reason, retryAfter: 0, fields: [], ...more } };
}

/** Classifies the API server's failure by what can be done about it. */
export function applyFailure(
  failure: ApiFailure,
  asked: AskedOf,
  server: string,
): { readonly ok: false; readonly failure: ApplyFailure } {
  const { causes = [], retryAfterMs = 0 } = failure;
  const is = kindOf(failure, asked.identity);
  const fields = [...new Set(causes.map(({ field }) => field).filter((field) => field !== ''))];
  const by = is === 'claimed' ? managerIn(failure) : undefined;
  const reason = sentence(failure, asked, server);
  return {
    ok: false,
    failure: {
      is,
      reason,
      retryAfter: retryAfterMs,
      fields,
      ...(by === undefined ? {} : { by }),
      ...(isTaken(failure) ? { isTaken: true as const } : {}),
    },
  };
}

const byKind: Partial<Readonly<Record<FailureKind, ApplyFailureKind>>> = {
  rejected: 'permanent',
  cancelled: 'cancelled',
  forbidden: 'forbidden',
  invalid: 'permanent',
};

/** The API server returns several permanent refusals as 500, and a 404 can have three different causes. */
function kindOf(failure: ApiFailure, identity: Identity): ApplyFailureKind {
  const { kind, status, causes = [], message } = failure;
  if (kind === 'notFound') return missingWhat(failure, identity);
  // A response without a Status means that the path is not served. A new kind returns it for about 35 ms after its
  // CustomResourceDefinition.
  if (kind === 'badAnswer' && status === 404) return 'typeMissing';
  if (kind === 'conflict') return conflictKind(failure, identity);
  if (kind === 'invalid') return isTaken(failure) ? 'transient' : invalidKind(failure);
  if (kind === 'forbidden' && causes.some(({ reason }) => reason === 'NamespaceTerminating'))
    return 'namespaceTerminating';
  if (kind === 'unavailable' && permanentWords.test(message)) return 'permanent';
  return byKind[kind] ?? 'transient';
}

/** An undeclared field, a wrong type, duplicate keys, a body that cannot be decoded, or an object that etcd refuses. */
const permanentWords = /^failed to create typed patch object|^failed to convert new object|request is too large/;

function missingWhat({ about }: ApiFailure, identity: Identity): ApplyFailureKind {
  if (about === undefined) return 'typeMissing';
  const isItself = about.name === identity.name && about.group === identity.group;
  const isItsNamespace = about.kind === 'namespaces' && identity.kind !== 'Namespace';
  return isItself && !isItsNamespace ? 'missing' : 'transient';
}

function conflictKind({ about, causes = [], message }: ApiFailure, identity: Identity): ApplyFailureKind {
  if (causes.some(({ field }) => field === labelPath)) return 'claimed';
  if (message.includes('no existing object was found')) return 'missing';
  if (message.includes('does not match the UID in record')) return 'otherUid';
  // For example a quota that other clients use at the same time.
  return about === undefined || about.name === identity.name ? 'conflict' : 'transient';
}

/** The address or port of a deleted Service is released a moment or a minute after the Service was deleted. */
function isTaken({ kind, causes = [] }: ApiFailure): boolean {
  return kind === 'invalid' && causes.some(({ message }) => message?.includes('is already allocated') === true);
}

function invalidKind({ causes = [] }: ApiFailure): ApplyFailureKind {
  if (causes.some(({ field }) => field === 'metadata.uid')) return 'otherUid';
  return isImmutable(causes) ? 'immutable' : 'permanent';
}

/** Returns the manager in `conflict with "weeder:1a2b" using v1`. */
function managerIn({ causes = [] }: ApiFailure): string | undefined {
  const words = causes.find(({ field }) => field === labelPath)?.message ?? '';
  return /^conflict with "([^"]+)"/.exec(words)?.[1];
}

/** Failures of the connection, of a permission or of the server. Their messages contain nothing of the object. */
const described: ReadonlySet<FailureKind> = new Set([
  'network',
  'timeout',
  'credentials',
  'unauthorized',
  'throttled',
  'badAnswer',
]);

function sentence(failure: ApiFailure, asked: AskedOf, server: string): string {
  const { kind, status, message } = failure;
  if (kind === 'cancelled') return message;
  if (isSecret(asked.identity) && !wordsAreOwn.has(kind)) return describeSecret(failure, asked, server);
  if (described.has(kind) || kind === 'forbidden') return describeFailure(failure, server);
  return `The API server refused ${identityText(asked.identity)} (${status ?? kind}): ${wordsOf(failure)}.`;
}

/** weeder itself writes the messages of these failures. */
const wordsAreOwn: ReadonlySet<FailureKind> = new Set(['network', 'timeout', 'credentials']);

/** Returns the code, reason and fields, and which component refused it. The rest of the message may quote values. */
function describeSecret(failure: ApiFailure, { verb, plural, identity }: AskedOf, server: string): string {
  const { kind, status, reason } = failure;
  if (isDenied(failure, verb)) {
    const denied = isImpersonationDenied(failure) ? `impersonate-on:serviceaccount:${verb}` : verb;
    const message = `cannot ${denied} resource "${plural}" in API group "" in the namespace "${identity.namespace}"`;
    return describeFailure({ ...failure, message }, server);
  }
  const code = [status, reason].filter((each) => each !== undefined).join(' ');
  const why = [refuserOf(failure), ...placesIn(failure), typeError(failure)].filter((each) => each !== undefined);
  return `The API server refused ${identityText(identity)} (${code === '' ? kind : code})${why.length === 0 ? '' : `: ${why.join(', ')}`}.`;
}

/** Returns names of fields, or of another object that the message is about. */
function placesIn({ causes = [], about }: ApiFailure): readonly string[] {
  const fields = [...new Set(causes.map(({ field }) => field).filter((field) => field !== ''))];
  const isOther = about !== undefined && !/^secrets?$/i.test(about.kind);
  return isOther ? [...fields, `${about.kind} ${about.name}`] : fields;
}

/** Matches a type error or a size limit. Names of keys may be shown, values never. */
const typeFaults =
  /: (?:field not declared in schema|expected \w+(?=, got))|illegal base64 data at input byte \d+|request is too large/;
const longestPath = 1_000;

function typeError({ message }: ApiFailure): string | undefined {
  const found = permanentWords.test(message) ? typeFaults.exec(message) : null;
  if (found === null) return undefined;
  const [words] = found;
  return words.startsWith(': ') ? `${pathBefore(message, found.index)}${words}` : words;
}

/** Returns the path of a field that ends there, such as `.spec.replicas`. */
function pathBefore(message: string, end: number): string {
  const before = message.slice(Math.max(0, end - longestPath), end);
  return before.slice(before.search(/[.\w-]*$/));
}

const longestWords = 300;

/**
 * Returns the causes without the values that they quote, which can be whole pod templates, or the message if there are
 * no causes.
 */
function wordsOf({ causes = [], message }: ApiFailure): string {
  const each = causes.flatMap(({ field, message: words = '' }) =>
    words === '' ? [] : [`${/^(\[\])?$/.test(field) ? '' : `${field}: `}${withoutValue(words)}`],
  );
  const text = each.length === 0 ? firstLine(message) : [...new Set(each)].join('; ');
  return (text.length > longestWords ? `${text.slice(0, longestWords)}…` : text).replace(/\.$/, '');
}

/** Shortens `Invalid value: {…}: field is immutable` by the value. The lines after the first are a diff. */
function withoutValue(words: string): string {
  const said = /^Invalid value: .*: ([^:]+)$/s.exec(words)?.[1];
  return firstLine(said ?? words);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
