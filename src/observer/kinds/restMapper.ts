import type { Clock } from '../../base/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { failed, type Outcome } from '../model/applyFailure.ts';
import type { RestMapper, RestMapping } from '../plan/resourceApi.ts';
import { discoveryRoot } from './discoveryRoot.ts';
import { createKindStreams, type KindStreams, type KindStreamsOptions } from './kindStreams.ts';
import { openapiSource } from './openapiSource.ts';
import { groupVersionOf } from './servedKinds.ts';

/** A REST mapper, and the streams by which it notices new kinds. */
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

/** The same, which also watches CustomResourceDefinitions and APIServices while a kind is awaited. */
export function watchedRestMapper(
  client: KubeClient,
  options: Pick<KindStreamsOptions, 'clock' | 'onChanged' | 'onClosed'>,
): WatchedRestMapper {
  const onKindChanged = (group: string | undefined) => known.invalidate(group);
  const streams = createKindStreams({ ...options, onKindChanged });
  const { restMapper, invalidate } = createRestMapper(client, options.clock, streams.await);
  const known = { invalidate };
  return { restMapper, streams };
}

function createRestMapper(client: KubeClient, clock: Clock, onWaiting: ((isWaiting: boolean) => void) | undefined) {
  const { find, findInGroup, whenServed, invalidate } = discovery(client, clock, onWaiting);
  const documents = openapiSource(client, clock);

  const restMapper: RestMapper = {
    find,
    findInGroup,
    topologyOf: documents.topologyOf,
    async awaitServed(apiVersion, kind, signal, isExpected = false) {
      const known = await find(apiVersion, kind);
      // The document of a new kind follows it.
      const isWithoutDocument = known.ok && !(await documents.topologyOf(known.value)).ok;
      const appearing = isWithoutDocument ? known : whenServed(apiVersion, kind, signal);
      if (isExpected) invalidate(groupVersionOf(apiVersion).group);
      const found = await appearing;
      if (!found.ok || (await documents.topologyOf(found.value)).ok) return found;
      const described = await documents.whenDescribed(found.value, signal);
      return described.ok ? found : described;
    },
  };
  return { restMapper, invalidate };
}

/** A kind that moves from one scope to another, or to another plural, is a new one of the same name: rare, but it is. */
const ttlMs = 30_000;

/** Which kinds the API server serves. Read with weeder's own rights, as every account may read discovery. */
interface Discovery {
  /** `typeMissing`: it does not serve this kind, as far as is known. */
  find(apiVersion: string, kind: string): Promise<Outcome<RestMapping>>;
  /** By a read that begins after this call: this is asked where something that is known is no longer so. */
  findInGroup(group: string, kind: string): Promise<Outcome<RestMapping>>;
  /** Resolves once a read that begins after this call has the kind. `cancelled`: the signal ended the wait. */
  whenServed(apiVersion: string, kind: string, signal: AbortSignal): Promise<Outcome<RestMapping>>;
  /** Something that serves this group has changed; undefined: any of them may have. */
  invalidate(group: string | undefined): void;
}

/**
 * One shared document for `/api` and one for `/apis`, whatever the number of applications, resources and kinds: a kind
 * that does not exist costs no request of its own. `onWaiting`: whether somebody waits for a kind that is not there.
 */
function discovery(client: KubeClient, clock: Clock, onWaiting?: (isWaiting: boolean) => void): Discovery {
  const core = discoveryRoot('/api', client, clock);
  const named = discoveryRoot('/apis', client, clock, onWaiting);
  const rootOf = (group: string) => (group === '' ? core : named);

  async function find(apiVersion: string, kind: string): Promise<Outcome<RestMapping>> {
    const root = rootOf(groupVersionOf(apiVersion).group);
    const read = await root.shared.noOlderThan(ttlMs);
    const found = await root.lookUp(apiVersion, kind);
    // What was known before is believed while the API server does not answer.
    if (found.ok) return found;
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
      const found = await root.lookUp(apiVersion, kind);
      if (found.ok) return found;
      // It may be in the one that cannot be asked.
      if (found.failure.is !== 'typeMissing') answer = found;
    }
    return answer;
  }

  return {
    find,
    findInGroup,
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
