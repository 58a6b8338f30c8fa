import { type SourceKind, type SourceRef, sourceKey } from '../restart/references/refs.ts';
import { usesOf } from '../restart/references/uses.ts';
import type { ObservedWorkload } from './observed.ts';

/** A use of a ConfigMap or Secret by a workload; without a key, of the whole. */
interface SourceUse {
  readonly source: SourceRef;
  readonly key: string | undefined;
}

/** The ConfigMaps and Secrets that the pods of a workload use. */
export function sourceUsesOf({ template, ref }: ObservedWorkload, kinds: readonly SourceKind[]): SourceUse[] {
  return usesOf(template, ref.namespace, { imagePullSecrets: 'ignore' }).filter(({ source }) =>
    kinds.includes(source.kind),
  );
}

/** The workloads that take a whole ConfigMap or Secret, by its key. */
export function sharersOf(workloads: readonly ObservedWorkload[]): ReadonlyMap<string, ReadonlySet<ObservedWorkload>> {
  const sharers = new Map<string, Set<ObservedWorkload>>();
  for (const workload of workloads) {
    for (const { source, key } of sourceUsesOf(workload, ['ConfigMap', 'Secret'])) {
      if (key !== undefined) continue;
      const users = sharers.get(sourceKey(source)) ?? new Set();
      sharers.set(sourceKey(source), users.add(workload));
    }
  }
  return sharers;
}
