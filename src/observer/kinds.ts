import type { Clock } from '../clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { discovery } from './discovery.ts';
import { openapiSource } from './openapiSource.ts';
import type { Kinds } from './resourceApi.ts';

/** What the cluster itself says of its kinds. Requests that several wait for are not ended by the signal of one. */
export function kindsOf(client: KubeClient, clock: Clock): Kinds {
  return { ...discovery(client, clock), structureOf: openapiSource(client, clock) };
}
