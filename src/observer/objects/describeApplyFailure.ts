import { truncate } from '@weeder/kube-runtime/base';
import type { ApiFailure, FailureType } from '@weeder/kube-runtime/client';
import {
  denialOf,
  describeFailure,
  hasOwnMessage,
  isDenied,
  isImpersonationDenied,
  refuserOf,
} from '@weeder/kube-runtime/client';
import { isSecret } from './confidential.ts';
import { type Identity, identityText } from './identity.ts';

/** The request, for the message about a missing permission. */
export interface RequestSummary {
  readonly verb: 'get' | 'list' | 'create' | 'patch' | 'delete';
  readonly identity: Identity;
  /** The resource name in the API: `deployments`. */
  readonly plural: string;
}

/** An undeclared field, a wrong type, duplicate keys, a body that cannot be decoded, or an object that etcd refuses. */
export const permanentWords = /^failed to create typed patch object|^failed to convert new object|request is too large/;

/** Failures of the connection, of a permission or of the server. Their messages contain nothing of the object. */
const described: ReadonlySet<FailureType> = new Set([
  'network',
  'timeout',
  'credentials',
  'unauthorized',
  'throttled',
  'badAnswer',
]);

/** Bytes. A webhook chooses the message of its refusal, and weeder keeps it as long as the resource is refused. */
const longestSentence = 1024;

/** Returns one or two sentences for users. Of a Secret they contain the code, the reason and the fields only. */
export function describeApplyFailure(failure: ApiFailure, request: RequestSummary, server: string): string {
  return truncate(sentenceOf(failure, request, server), longestSentence);
}

function sentenceOf(failure: ApiFailure, request: RequestSummary, server: string): string {
  const { type, status, message } = failure;
  if (type === 'cancelled') return message;
  if (isSecret(request.identity) && !hasOwnMessage(failure)) return describeSecret(failure, request, server);
  if (described.has(type) || type === 'forbidden') return describeFailure(failure, server);
  return `The API server refused ${identityText(request.identity)} (${status ?? type}): ${wordsOf(failure)}.`;
}

/** Returns the code, reason and fields, and which component refused it. The rest of the message may quote values. */
function describeSecret(failure: ApiFailure, { verb, plural, identity }: RequestSummary, server: string): string {
  const { type, status, reason } = failure;
  if (isDenied(failure, verb)) {
    const denied = isImpersonationDenied(failure) ? `impersonate-on:serviceaccount:${verb}` : verb;
    return describeFailure({ ...failure, message: denialOf(denied, plural, identity.namespace) }, server);
  }
  const code = [status, reason].filter((each) => each !== undefined).join(' ');
  const why = [refuserOf(failure), ...placesIn(failure), typeError(failure)].filter((each) => each !== undefined);
  return `The API server refused ${identityText(identity)} (${code === '' ? type : code})${why.length === 0 ? '' : `: ${why.join(', ')}`}.`;
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
  const match = permanentWords.test(message) ? typeFaults.exec(message) : null;
  if (match === null) return undefined;
  const [words] = match;
  return words.startsWith(': ') ? `${pathBefore(message, match.index)}${words}` : words;
}

/** Returns the path of a field that ends there, such as `.spec.replicas`. */
function pathBefore(message: string, end: number): string {
  const before = message.slice(Math.max(0, end - longestPath), end);
  return before.slice(before.search(/(?<![.\w-])[.\w-]*$/));
}

const longestWords = 300;

/**
 * Returns the causes without the values that they quote, which can be whole pod templates, or the message if there are
 * no causes.
 */
function wordsOf({ causes = [], message }: ApiFailure): string {
  const sentences = causes.flatMap(({ field, message: words = '' }) =>
    words === '' ? [] : [`${/^(\[\])?$/.test(field) ? '' : `${field}: `}${withoutValue(words)}`],
  );
  const text = sentences.length === 0 ? withoutFound(firstLine(message)) : [...new Set(sentences)].join('; ');
  return (text.length > longestWords ? `${text.slice(0, longestWords)}…` : text).replace(/\.$/, '');
}

/** Shortens `Invalid value: {…}: field is immutable` by the value. The lines after the first are a diff. */
function withoutValue(words: string): string {
  const said = /^Invalid value: .*: ([^:]+)$/s.exec(words)?.[1];
  return firstLine(said ?? words);
}

/** Shortens a type error by the value that was found: an Application in a manifest may hold a Secret. */
function withoutFound(line: string): string {
  return permanentWords.test(line) ? (line.split(', got ', 1)[0] ?? line) : line;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
