import type { Clock } from '../src/base/clock.ts';
import type { TestEvent, TestPod, TestStore } from './apiObjects.ts';
import type { ReceivedRequest, ServerAnswer } from './faultyServer.ts';

/** The served objects, and the clock by which watches end. */
export interface Collection {
  readonly store: TestStore;
  readonly clock: Clock;
}

/** Answers GET on the collection as kube-apiserver does: pages, WatchList, resumed watches, bookmarks, 410. */
export function serveCollection(collection: Collection, request: ReceivedRequest, answer: ServerAnswer): void {
  const isWatch = request.query.get('watch') === 'true';
  const requested = /;as=(\w+);g=meta\.k8s\.io;v=v1$/.exec(String(request.headers['accept']))?.[1];
  const accepted = isWatch ? 'PartialObjectMetadata' : 'PartialObjectMetadataList';
  if (request.method !== 'GET') sendJson(answer, 200, { kind: 'Status', status: 'Success' });
  else if (requested !== undefined && requested !== accepted) sendJson(answer, 406, statusObject(406, 'NotAcceptable'));
  else if (isWatch) serveWatch(collection, request, requested === undefined ? answer : metadataOnly(answer));
  else serveList(collection.store, request, requested === undefined ? answer : metadataOnly(answer));
}

/** One line of a watch. */
export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** A bookmark at `version`; `isLast` marks the end of the complete state. */
export function bookmarkLine(version: number, isLast = false): string {
  const annotations = isLast ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: String(version), ...annotations };
  return eventLine('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata });
}

/** A Status with `code`, as it is sent in a watch and as a response. */
export function statusObject(code: number, reason: string) {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${reason} said the server`,
    reason,
    code,
  };
}

/** A response in which every pod is reduced to its metadata. */
function metadataOnly(answer: ServerAnswer): ServerAnswer {
  const cut = (text: string) =>
    text
      .replaceAll('"kind":"Pod","apiVersion":"v1"', '"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"')
      .replace(
        '"kind":"PodList","apiVersion":"v1"',
        '"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1"',
      );
  return {
    ...answer,
    write: (piece) => answer.write(cut(String(piece))),
    end: (piece) => answer.end(piece === undefined ? undefined : cut(String(piece))),
  };
}

/** As kube-apiserver answers for a revision that etcd has not reached. */
const tooLarge = {
  ...statusObject(504, 'Timeout'),
  details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
};

function serveList(store: TestStore, request: ReceivedRequest, answer: ServerAnswer): void {
  const limit = Number(request.query.get('limit') ?? '0') || Number.POSITIVE_INFINITY;
  if (Number(request.query.get('resourceVersion') ?? '0') > store.version) {
    sendJson(answer, 504, tooLarge);
    return;
  }
  const [version = String(store.version), after = ''] = request.query.get('continue')?.split('/') ?? [];
  if (Number(version) < store.oldest) {
    sendJson(answer, 410, statusObject(410, 'Expired'));
    return;
  }
  const rest = stateAt(store, Number(version)).filter((pod) => pod.metadata.name > after);
  const items = rest.slice(0, limit);
  const more = items.length < rest.length ? { continue: `${version}/${items.at(-1)?.metadata.name}` } : {};
  sendJson(answer, 200, { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: version, ...more }, items });
}

function stateAt(store: TestStore, version: number): readonly TestPod[] {
  const state = new Map<string, TestPod>();
  for (const event of store.history) {
    if (event.version > version) break;
    if (event.type === 'DELETED') state.delete(event.object.metadata.name);
    else state.set(event.object.metadata.name, event.object);
  }
  return [...state.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function serveWatch({ store, clock }: Collection, request: ReceivedRequest, answer: ServerAnswer): void {
  const start = Number(request.query.get('resourceVersion') ?? '0');
  const isInitial = request.query.get('sendInitialEvents') === 'true';
  if (!isInitial && start < store.oldest) {
    sendJson(answer, 410, statusObject(410, 'Expired'));
    return;
  }
  answer.head(200);
  if (isInitial) {
    for (const pod of stateAt(store, store.version)) answer.write(eventLine('ADDED', pod));
    answer.write(bookmarkLine(store.version, true));
  } else {
    for (const event of store.history) if (event.version > start) sendEvent(answer, event);
  }
  const stop = store.onEvent((event) => {
    if (event.version > start) sendEvent(answer, event);
  });
  const holdMs = Number(request.query.get('timeoutSeconds') ?? '1800') * 1_000;
  const bookmark = clock.setTimeout(() => {
    if (store.version >= start) answer.write(bookmarkLine(store.version));
  }, holdMs - 2_000);
  const end = clock.setTimeout(() => answer.end(), holdMs);
  answer.onClose(() => {
    stop();
    clock.clearTimeout(bookmark);
    clock.clearTimeout(end);
  });
}

function sendEvent(answer: ServerAnswer, event: TestEvent): void {
  answer.write(eventLine(event.type, event.object));
}

function sendJson(answer: ServerAnswer, status: number, body: unknown): void {
  answer.head(status);
  answer.end(JSON.stringify(body));
}
