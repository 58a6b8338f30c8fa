import type { Clock } from '../../base/clock.ts';
import { failed, type Outcome } from '../model/applyFailure.ts';
import type { At } from '../model/structure.ts';
import type { Kind, Kinds } from '../plan/resourceApi.ts';
import type { UnplacedManifest } from '../spec/application.ts';

/** A manifest with what the cluster says of its kind. */
export interface Located {
  readonly unplaced: UnplacedManifest;
  /** Undefined: the cluster does not know it, or does not say. */
  readonly kind: Kind | undefined;
  /** How its objects are built, or why it cannot be applied: `typeMissing`, or something that may pass. */
  readonly structure: Outcome<At>;
}

/** An answer that takes longer holds up the resources of that kind alone. Milliseconds. */
const patience = 3_000;

type Known = Omit<Located, 'unplaced'>;

/**
 * Asks of all kinds at once, and of each one once. A kind that cannot be found, or not soon, is a matter of its own
 * resources: all others are located.
 */
export async function findKinds(
  { kinds, clock }: { readonly kinds: Pick<Kinds, 'find' | 'structureOf'>; readonly clock: Clock },
  manifests: readonly UnplacedManifest[],
  signal: AbortSignal,
): Promise<readonly Located[]> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>();
  const timer = clock.setTimeout(() => giveUp('late'), patience);
  const asked = new Map<string, Promise<Known>>();

  /** The answer is waited for elsewhere: whoever asks again gets it. */
  async function soon<T>(answer: Promise<Outcome<T>>, what: string): Promise<Outcome<T>> {
    const first = await Promise.race([answer, late]);
    return first === 'late' ? failed('transient', `The API server does not say in time ${what}.`) : first;
  }

  async function ask(apiVersion: string, kind: string): Promise<Known> {
    const found = await soon(kinds.find(apiVersion, kind, signal), `whether it has ${kind} in ${apiVersion}`);
    if (!found.ok) return { kind: undefined, structure: found };
    return {
      kind: found.value,
      structure: await soon(kinds.structureOf(found.value, signal), `how a ${kind} of ${apiVersion} is built`),
    };
  }

  function known({ apiVersion, kind }: UnplacedManifest): Promise<Known> {
    const key = `${apiVersion} ${kind}`;
    const answer = asked.get(key) ?? ask(apiVersion, kind);
    asked.set(key, answer);
    return answer;
  }

  try {
    return await Promise.all(manifests.map(async (unplaced) => ({ unplaced, ...(await known(unplaced)) })));
  } finally {
    clock.clearTimeout(timer);
  }
}
