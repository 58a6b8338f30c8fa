import type { PodFacts } from './podFacts.ts';
import { type ContainerUse, ownPods, podsWithOldContent } from './proof.ts';
import type { Use } from './uses.ts';
import type { WantedSource } from './wanted.ts';
import type { WorkloadFacts } from './workloadFacts.ts';

/** A source, and when it was written: epoch milliseconds; undefined: nobody knows. */
export interface WrittenSource {
  readonly source: Pick<WantedSource, 'uses'>;
  readonly lastWrite: number | undefined;
}

/**
 * The pods that a rollout is to replace because a container in them runs with old content of one of these sources.
 * Those that a partition keeps at their revision are not among them (F10).
 */
export function podsToReplace(
  facts: WorkloadFacts,
  pods: readonly PodFacts[],
  sources: readonly WrittenSource[],
): PodFacts[] {
  const own = ownPods(facts, pods).filter(({ name }) => !isKeptByPartition(facts, name));
  const old = sources.flatMap(({ source: { uses }, lastWrite }) =>
    podsWithOldContent(own, uses.flatMap(seen), lastWrite),
  );
  return [...new Set(old)];
}

/** Whether a partition keeps the pod of this name at its revision. */
export function isKeptByPartition({ updateStrategy }: WorkloadFacts, name: string): boolean {
  const ordinal = Number(/-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
  return typeof updateStrategy === 'object' && ordinal < updateStrategy.partition;
}

/** A volume that no container mounts shows its content to nobody. */
function seen({ how, containers }: Use): ContainerUse[] {
  return how === 'unmounted' ? [] : [{ how, containers }];
}
