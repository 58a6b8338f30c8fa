import type { Clock } from '@weeder/kube-runtime/base';
import { isObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApiFailure, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import { groupVersionPath } from '@weeder/kube-runtime/objects';
import { singleFlight } from '../../base/promises.ts';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { RestMapping } from '../plan/resourceApi.ts';
import { type Topologies, topologiesOf } from '../topology/topologies.ts';
import { isOfKubernetes } from './kubernetesGroups.ts';
import { createSharedRead } from './sharedRead.ts';

/** How long the index is cached, unless a kind is missing from it. */
const indexTtlMs = 30_000;
/** The same for the kinds of CustomResourceDefinitions, which change at any time. */
const customTtlMs = 2_000;
/** How long an unused document is cached. */
const documentTtlMs = 3_600_000;
/** The document of v1 has 1.6 MB, and an API server that has just started builds it first. */
const timeoutMs = 30_000;
/** A document that could not be read is not requested again for this time. */
const failureTtlMs = 5_000;

interface Document {
  readonly hash: string;
  readonly topologies: Topologies;
  usedAt: number;
}

/** The structure of the objects of each kind. */
interface OpenapiSource {
  /**
   * `typeMissing`: no document describes the kind yet. Matching its lists by position in the meantime would be wrong.
   */
  topologyOf(kind: RestMapping): Promise<Outcome<SchemaNode>>;
  /** Resolves once a document describes the kind. `cancelled`: the signal aborted the wait. */
  whenDescribed(kind: RestMapping, signal: AbortSignal): Promise<Outcome<SchemaNode>>;
  /** Resolves once a document describes the kind in another way. `cancelled`: the signal aborted the wait. */
  whenChanged(kind: KindName, known: SchemaNode, signal: AbortSignal): Promise<Outcome<undefined>>;
  /** A definition of this group has changed. Undefined: any group may have changed. */
  invalidate(group: string | undefined): void;
}

/**
 * Reads the API server's OpenAPI documents (`/openapi/v3`). The index (10 KB) has a hash of each document, so only
 * changed documents of groups in use are fetched. All callers share both.
 */
export function openapiSource(
  client: KubeClient,
  clock: Clock,
  onWaiting?: (isWaiting: boolean) => void,
): OpenapiSource {
  let hashes: ReadonlyMap<string, string> = new Map();
  const documents = new Map<string, Document>();
  const failing = new Map<string, { readonly outcome: Outcome<never>; readonly until: number }>();

  async function readIndex(): Promise<Outcome<undefined>> {
    const result = await client.call({ method: 'GET', path: '/openapi/v3', timeoutMs });
    if (!result.ok) return refuse(result.failure);
    hashes = readHashes(result.body);
    const now = clock.monotonic();
    for (const [path, { usedAt }] of documents) if (now - usedAt >= documentTtlMs) documents.delete(path);
    for (const path of new Set(index.awaited())) await readDocument(path);
    return done(undefined);
  }

  /**
   * Without the hash the API server returns the newest document. It can be newer than the index, and is then fetched
   * once more than needed.
   */
  const readDocument = singleFlight(async (path: string): Promise<Outcome<undefined>> => {
    const hash = hashes.get(path);
    if (hash === undefined || documents.get(path)?.hash === hash) return done(undefined);
    const failed = failing.get(path);
    if (failed !== undefined && clock.monotonic() < failed.until) return failed.outcome;
    failing.delete(path);
    const result = await client.call({ method: 'GET', path: `/openapi/v3${path}`, timeoutMs });
    if (!result.ok) {
      const outcome = refuse(result.failure);
      failing.set(path, { outcome, until: clock.monotonic() + failureTtlMs });
      return outcome;
    }
    documents.set(path, { hash, topologies: topologiesOf(result.body), usedAt: clock.monotonic() });
    return done(undefined);
  });

  const index = createSharedRead({ clock, read: readIndex, ...(onWaiting === undefined ? {} : { onWaiting }) });

  function refuse(failure: ApiFailure): Outcome<never> {
    if (failure.type === 'cancelled') return failed('cancelled', failure.message);
    const reason = describeFailure(failure, client.server);
    return { ok: false, failure: { type: 'transient', reason, retryAfter: failure.retryAfterMs ?? 0, fields: [] } };
  }

  function lookUp({ group, version, kind }: KindName): SchemaNode | undefined {
    const document = documents.get(pathOf({ group, version }));
    if (document !== undefined) document.usedAt = clock.monotonic();
    return document?.topologies.of(group, version, kind);
  }

  async function topologyOf(kind: RestMapping): Promise<Outcome<SchemaNode>> {
    const age = isOfKubernetes(kind.group) ? indexTtlMs : customTtlMs;
    for (const read of [() => index.noOlderThan(age), () => index.retryMissing()]) {
      const listed = await read();
      const newest = listed.ok ? await readDocument(pathOf(kind)) : listed;
      const schema = lookUp(kind);
      // While the API server does not respond, the last known structure is used.
      if (schema !== undefined) return done(schema);
      if (!newest.ok) return newest;
    }
    return failed('typeMissing', `The API server does not say yet how a ${kind.kind} is built (/openapi/v3).`);
  }

  return {
    topologyOf,
    async whenDescribed(kind, signal) {
      const waiter = { about: pathOf(kind), isAvailable: () => lookUp(kind) !== undefined };
      const there = index.waitFor(waiter, signal);
      index.invalidate((about) => about === waiter.about);
      const isAvailable = await there;
      return isAvailable ? topologyOf(kind) : failed('cancelled', 'the caller no longer waits for this document');
    },
    async whenChanged(kind, known, signal) {
      const digest = () => lookUp(kind)?.digest ?? known.digest;
      const waiter = { about: pathOf(kind), isAvailable: () => digest() !== known.digest };
      const isChanged = waiter.isAvailable() || (await index.waitFor(waiter, signal));
      return isChanged ? done(undefined) : failed('cancelled', 'the caller no longer waits for a change');
    },
    invalidate: (group) => index.invalidate((about) => group === undefined || about.split('/')[2] === group),
  };
}

type KindName = Pick<RestMapping, 'group' | 'version' | 'kind'>;

function pathOf({ group, version }: Pick<RestMapping, 'group' | 'version'>): string {
  return groupVersionPath(group === '' ? version : `${group}/${version}`);
}

/** `{"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=1A…"}}}`, by `/apis/apps/v1`. */
function readHashes(body: unknown): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const [path, entry] of Object.entries(objectOf(objectOf(body)['paths']))) {
    const url = isObject(entry) ? textOf(entry['serverRelativeURL']) : undefined;
    if (url !== undefined) hashes.set(`/${path}`, url);
  }
  return hashes;
}
