import { objectOf } from '@weeder/kube-runtime/base';
import type { Input } from '../../recording/file/entry.ts';
import { createSnapshot, type ResponseInput, type Snapshot } from '../../recording/file/snapshot.ts';

/**
 * The state of the application observer at the beginning of a new file: beside the streams, the schemas of kinds, and
 * the desired state of each resource. What was applied is stored in the status of the applications.
 */
export function createObserverSnapshot(): Snapshot {
  return createSnapshot({ keep });
}

/** Requests about kinds and accounts: a positive response is valid for later requests as well. */
export function isLasting(request: string): boolean {
  return /^(?:find|findServed|structure|account|access|patchable) /.test(request);
}

/** Stores the responses about kinds and accounts, and for each resource the API server's response to its manifest. */
function keep(entry: Input, kept: Map<string, ResponseInput>): void {
  if (entry.in !== 'response') return;
  const { request } = entry;
  const { type, value } = objectOf(entry.response);
  if (type !== 'ok') return;
  // A negative response about an account is not valid for later requests.
  if (value === false) kept.delete(request);
  else if (isLasting(request)) kept.set(request, entry);
  else keepDesired(request, objectOf(value), entry, kept);
}

/** The response to a create determines the desired state; otherwise a dry-run apply does. */
function keepDesired(
  request: string,
  value: ReturnType<typeof objectOf>,
  entry: ResponseInput,
  kept: Map<string, ResponseInput>,
): void {
  const [what = '', ...rest] = request.split(' ');
  const to = `dryRunApply ${rest.join(' ')}`;
  if (what === 'dryRunApply') kept.set(to, entry);
  // A dry run on the live object is trusted only in part.
  else if (what === 'dryRunAgain') {
    if (value['isIndependent'] === true) kept.set(to, { ...entry, request: to });
  } else if (what === 'delete') kept.delete(to);
  else if (value['isNew'] === true) {
    const dryRun = { object: value['object'], isIndependent: true };
    kept.set(to, { in: 'response', request: to, response: { type: 'ok', value: dryRun } });
  }
}

/** The last version of each application by its id, `namespace/name`, and the stream that delivered it. */
export function applicationsIn(
  snapshot: Snapshot,
): ReadonlyMap<string, { readonly stream: string; readonly object: object }> {
  const objectsOfStreams = [...snapshot.streams()].flatMap(([stream, { objects }]) =>
    [...objects].flatMap(([id, { object }]) =>
      objectOf(object)['kind'] === 'Application' ? [[id, { stream, object }] as const] : [],
    ),
  );
  return new Map(objectsOfStreams);
}

/** The last version of an object of any stream. */
export function objectIn(snapshot: Snapshot, kind: string, namespace: string, name: string): object | undefined {
  for (const [, { objects }] of snapshot.streams()) {
    const object = objects.get(`${namespace}/${name}`)?.object;
    if (object !== undefined && objectOf(object)['kind'] === kind) return object;
  }
  return undefined;
}
