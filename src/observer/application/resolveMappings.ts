import type { Clock } from '@weeder/kube-runtime/base';
import { failed, type Outcome } from '../objects/applyFailure.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { RestMapper, RestMapping } from '../plan/resourceApi.ts';
import type { UnresolvedManifest } from '../spec/application.ts';

/** A manifest with the REST mapping of its kind. */
export interface MappedManifest {
  readonly unresolved: UnresolvedManifest;
  /** Undefined if the cluster does not know the kind or does not respond. */
  readonly mapping: RestMapping | undefined;
  /** The structure of its objects, or why it cannot be applied: `typeMissing`, or a transient failure. */
  readonly topology: Outcome<SchemaNode>;
}

/** A response that takes longer delays only the resources of that kind. Milliseconds. */
const patience = 3_000;

type Known = Omit<MappedManifest, 'unresolved'>;

/**
 * Requests each kind once, all at the same time. A kind that is not found, or not in time, affects only its own
 * resources.
 */
export async function resolveMappings(
  { kinds, clock }: { readonly kinds: Pick<RestMapper, 'find' | 'topologyOf'>; readonly clock: Clock },
  manifests: readonly UnresolvedManifest[],
  signal: AbortSignal,
): Promise<readonly MappedManifest[]> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>();
  const timer = clock.setTimeout(() => giveUp('late'), patience);
  const requests = new Map<string, Promise<Known>>();

  /** Stops waiting at the deadline. The request continues, and its response is cached for the next call. */
  async function withinTime<T>(answer: Promise<Outcome<T>>, what: string): Promise<Outcome<T>> {
    const first = await Promise.race([answer, late]);
    return first === 'late' ? failed('transient', `The API server does not say in time ${what}.`) : first;
  }

  async function resolve(apiVersion: string, kind: string): Promise<Known> {
    const mapping = await withinTime(kinds.find(apiVersion, kind, signal), `whether it has ${kind} in ${apiVersion}`);
    if (!mapping.ok) return { mapping: undefined, topology: mapping };
    return {
      mapping: mapping.value,
      topology: await withinTime(kinds.topologyOf(mapping.value, signal), `how a ${kind} of ${apiVersion} is built`),
    };
  }

  function known({ apiVersion, kind }: UnresolvedManifest): Promise<Known> {
    const key = `${apiVersion} ${kind}`;
    const answer = requests.get(key) ?? resolve(apiVersion, kind);
    requests.set(key, answer);
    return answer;
  }

  try {
    return await Promise.all(manifests.map(async (unresolved) => ({ unresolved, ...(await known(unresolved)) })));
  } finally {
    clock.clearTimeout(timer);
  }
}
