import type { Clock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import type { RestMapper, RestMapping } from '../plan/resourceApi.ts';
import { discoveryRoot } from './discoveryRoot.ts';
import { createKindStreams, type KindStreams, type KindStreamsOptions } from './kindStreams.ts';
import { openapiSource } from './openapiSource.ts';
import { groupVersionOf } from './servedKinds.ts';

/** A REST mapper, and the streams that notify it of new kinds. */
interface WatchedRestMapper {
  readonly restMapper: RestMapper;
  readonly streams: Pick<KindStreams, 'needs' | 'stop'>;
}

/**
 * Maps kinds by the discovery and OpenAPI documents of the API server. A shared request is not aborted by the signal of
 * one of its callers.
 */
export function restMapperOf(client: KubeClient, clock: Clock): RestMapper {
  return createRestMapper(client, clock, undefined).restMapper;
}

/**
 * Does the same, and watches CustomResourceDefinitions and APIServices while a caller waits for a kind, or for a change
 * of one.
 */
export function watchedRestMapper(
  client: KubeClient,
  options: Pick<KindStreamsOptions, 'clock' | 'onChanged' | 'onClosed'>,
): WatchedRestMapper {
  const onKindChanged = (group: string | undefined) => mapper.invalidate(group);
  const streams = createKindStreams({ ...options, onKindChanged });
  const { restMapper, invalidate } = createRestMapper(client, options.clock, streams.await);
  const mapper = { invalidate };
  return { restMapper, streams };
}

function createRestMapper(client: KubeClient, clock: Clock, onWaiting: ((isWaiting: boolean) => void) | undefined) {
  const waiting = anyOf(onWaiting);
  const { find, findInGroup, namespacedKinds, whenServed, invalidate } = discovery(client, clock, waiting());
  const documents = openapiSource(client, clock, waiting());

  const restMapper: RestMapper = {
    find,
    findInGroup,
    namespacedKinds,
    topologyOf: documents.topologyOf,
    whenChanged: documents.whenChanged,
    async awaitServed(apiVersion, kind, signal, isExpected = false) {
      const mapping = await find(apiVersion, kind);
      // The OpenAPI document of a new kind is published after the kind.
      const isWithoutDocument = mapping.ok && !(await documents.topologyOf(mapping.value)).ok;
      const appearing = isWithoutDocument ? mapping : whenServed(apiVersion, kind, signal);
      if (isExpected) invalidate(groupVersionOf(apiVersion).group);
      const served = await appearing;
      if (!served.ok || (await documents.topologyOf(served.value)).ok) return served;
      const described = await documents.whenDescribed(served.value, signal);
      return described.ok ? served : described;
    },
  };
  return {
    restMapper,
    invalidate(group: string | undefined) {
      invalidate(group);
      documents.invalidate(group);
    },
  };
}

/** Makes several callbacks of one, which says whether any of them is waiting. */
function anyOf(onWaiting: ((isWaiting: boolean) => void) | undefined) {
  const waiting = new Set<object>();
  return () => {
    const one = {};
    return (isWaiting: boolean) => {
      const before = waiting.size > 0;
      if (isWaiting) waiting.add(one);
      else waiting.delete(one);
      if (waiting.size > 0 !== before) onWaiting?.(!before);
    };
  };
}

/** A definition can be replaced by one with another scope or plural, which is rare. */
const ttlMs = 30_000;

/**
 * The kinds that the API server serves. It is read with weeder's own permissions, as every account may read discovery.
 */
interface Discovery {
  /** `typeMissing`: the API server does not serve this kind, as far as is known. */
  find(apiVersion: string, kind: string): Promise<Outcome<RestMapping>>;
  /** Uses a read that begins after this call, for a caller that has seen that a known kind is no longer served. */
  findInGroup(group: string, kind: string): Promise<Outcome<RestMapping>>;
  namespacedKinds(): Promise<Outcome<readonly RestMapping[]>>;
  /** Resolves once a read that begins after this call has the kind. `cancelled`: the signal aborted the wait. */
  whenServed(apiVersion: string, kind: string, signal: AbortSignal): Promise<Outcome<RestMapping>>;
  /** A definition of this group has changed. Undefined: any group may have changed. */
  invalidate(group: string | undefined): void;
}

/**
 * One shared document for `/api` and one for `/apis`, regardless of the number of applications, resources and kinds. A
 * kind that does not exist costs no request of its own. `onWaiting` says whether a caller waits for a missing kind.
 */
function discovery(client: KubeClient, clock: Clock, onWaiting?: (isWaiting: boolean) => void): Discovery {
  const core = discoveryRoot('/api', client, clock);
  const named = discoveryRoot('/apis', client, clock, onWaiting);
  const rootOf = (group: string) => (group === '' ? core : named);

  async function find(apiVersion: string, kind: string): Promise<Outcome<RestMapping>> {
    const root = rootOf(groupVersionOf(apiVersion).group);
    const read = await root.shared.noOlderThan(ttlMs);
    const served = await root.lookUp(apiVersion, kind);
    // While the API server does not respond, the last known mapping is used.
    if (served.ok) return served;
    if (!read.ok) return read;
    const again = await root.shared.retryMissing();
    return again.ok ? root.lookUp(apiVersion, kind) : again;
  }

  async function findInGroup(group: string, kind: string): Promise<Outcome<RestMapping>> {
    const root = rootOf(group);
    const read = await root.shared.fresh();
    if (!read.ok) return read;
    let answer: Outcome<RestMapping> = failed(
      'typeMissing',
      `The cluster has no ${kind} in any version of ${group || 'v1'}.`,
    );
    for (const apiVersion of root.versionsOf(group)) {
      const served = await root.lookUp(apiVersion, kind);
      if (served.ok) return served;
      // The kind may be in the document that cannot be read.
      if (served.failure.type !== 'typeMissing') answer = served;
    }
    return answer;
  }

  return {
    find,
    findInGroup,
    async namespacedKinds() {
      const all: RestMapping[] = [];
      for (const root of [core, named]) {
        const read = await root.shared.fresh();
        if (!read.ok) return read;
        const kinds = await root.allKinds();
        if (!kinds.ok) return kinds;
        for (const kind of kinds.value) if (kind.isNamespaced) all.push(kind);
      }
      return done(all);
    },
    async whenServed(apiVersion, kind, signal) {
      const root = rootOf(groupVersionOf(apiVersion).group);
      const waiter = { about: apiVersion, isAvailable: () => root.isKnown(apiVersion, kind) };
      const isAvailable = await root.shared.waitFor(waiter, signal);
      return isAvailable
        ? root.lookUp(apiVersion, kind)
        : failed('cancelled', 'the caller no longer waits for this kind');
    },
    invalidate: (group) =>
      named.shared.invalidate((about) => group === undefined || groupVersionOf(about).group === group),
  };
}
