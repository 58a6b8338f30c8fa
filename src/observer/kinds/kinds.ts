import type { Clock } from '../../base/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Kinds } from '../plan/resourceApi.ts';
import { discovery } from './discovery.ts';
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
