import type { Clock } from '../../base/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { failed, type Outcome } from '../model/applyFailure.ts';
import type { Kind, Kinds } from '../plan/resourceApi.ts';
import { discoveryRoot } from './discoveryRoot.ts';
import { createKindStreams, type KindStreams, type KindStreamsOptions } from './kindStreams.ts';
import { openapiSource } from './openapiSource.ts';
import { groupVersionOf } from './servedKinds.ts';

/** What the cluster says of its kinds, and the streams that it is told by of new ones. */
interface ClusterKinds {
  readonly kinds: Kinds;
  readonly streams: Pick<KindStreams, 'needs' | 'stop'>;
}

/** What the cluster itself says of its kinds. Requests that several wait for are not ended by the signal of one. */
export function kindsOf(client: KubeClient, clock: Clock): Kinds {
  return createKinds(client, clock, undefined).kinds;
}

/** The same, awakened by the streams of what defines kinds. */
export function watchedKinds(
  client: KubeClient,
  options: Pick<KindStreamsOptions, 'clock' | 'onChanged' | 'onClosed'>,
): ClusterKinds {
  const onNews = (group: string | undefined) => known.outdated(group);
  const streams = createKindStreams({ ...options, onNews });
  const { kinds, outdated } = createKinds(client, options.clock, streams.await);
  const known = { outdated };
  return { kinds, streams };
}

function createKinds(client: KubeClient, clock: Clock, onWaiting: ((isWaiting: boolean) => void) | undefined) {
  const { find, findServed, appeared, outdated } = discovery(client, clock, onWaiting);
  const documents = openapiSource(client, clock);

  const kinds: Kinds = {
    find,
    findServed,
    structureOf: documents.structureOf,
    async served(apiVersion, kind, signal, isExpected = false) {
      const known = await find(apiVersion, kind);
      // The document of a new kind follows it.
      const isWithoutDocument = known.ok && !(await documents.structureOf(known.value)).ok;
      const appearing = isWithoutDocument ? known : appeared(apiVersion, kind, signal);
      if (isExpected) outdated(groupVersionOf(apiVersion).group);
      const found = await appearing;
      if (!found.ok || (await documents.structureOf(found.value)).ok) return found;
      const described = await documents.appeared(found.value, signal);
      return described.ok ? found : described;
    },
  };
  return { kinds, outdated };
}

/** A kind that moves from one scope to another, or to another plural, is a new one of the same name: rare, but it is. */
const keptMs = 30_000;

/** Which kinds the API server serves. With weeder's own rights, which every account has here. */
interface Discovery {
  /** `typeMissing`: it does not serve this kind, as far as is known. */
  find(apiVersion: string, kind: string): Promise<Outcome<Kind>>;
  /** By a read that begins after this call: this is asked where something that is known is no longer so. */
  findServed(group: string, kind: string): Promise<Outcome<Kind>>;
  /** Resolves once a read that begins after this call has the kind. `cancelled`: the signal ended the wait. */
  appeared(apiVersion: string, kind: string, signal: AbortSignal): Promise<Outcome<Kind>>;
  /** Something that serves this group has changed; undefined: any of them may have. */
  outdated(group: string | undefined): void;
}

/**
 * One shared document for `/api` and one for `/apis`, whatever the number of applications, resources and kinds: a kind
 * that does not exist costs no request of its own. `onWaiting`: whether somebody waits for a kind that is not there.
 */
function discovery(client: KubeClient, clock: Clock, onWaiting?: (isWaiting: boolean) => void): Discovery {
  const core = discoveryRoot('/api', client, clock);
  const named = discoveryRoot('/apis', client, clock, onWaiting);
  const rootOf = (group: string) => (group === '' ? core : named);

  async function find(apiVersion: string, kind: string): Promise<Outcome<Kind>> {
    const root = rootOf(groupVersionOf(apiVersion).group);
    const read = await root.shared.noOlderThan(keptMs);
    const found = await root.lookUp(apiVersion, kind);
    // What was known before is believed while the API server does not answer.
    if (found.ok) return found;
    if (!read.ok) return read;
    const again = await root.shared.missed();
    return again.ok ? root.lookUp(apiVersion, kind) : again;
  }

  async function findServed(group: string, kind: string): Promise<Outcome<Kind>> {
    const root = rootOf(group);
    const read = await root.shared.anew();
    if (!read.ok) return read;
    let answer: Outcome<Kind> = failed('typeMissing', `The cluster has no ${kind} in any version of ${group || 'v1'}.`);
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
    findServed,
    async appeared(apiVersion, kind, signal) {
      const root = rootOf(groupVersionOf(apiVersion).group);
      const waiter = { about: apiVersion, isThere: () => root.isKnown(apiVersion, kind) };
      const isThere = await root.shared.until(waiter, signal);
      return isThere ? root.lookUp(apiVersion, kind) : failed('cancelled', 'nobody waits for this kind any more');
    },
    outdated: (group) => named.shared.outdated((about) => group === undefined || groupVersionOf(about).group === group),
  };
}
