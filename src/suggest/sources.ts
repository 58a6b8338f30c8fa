import type { JsonObject } from '../base/json.ts';
import { readTexts } from '../restart/model/labelSelector.ts';
import { type SourceKind, type SourceRef, sourceKey } from '../restart/model/refs.ts';
import { usesOf } from '../restart/model/uses.ts';
import type { ObservedWorkload } from './observed.ts';

/** The values of a ConfigMap or Secret by their keys, as texts. */
export type SourceData = Readonly<Record<string, string>>;

/** Reads the data of a ConfigMap or Secret as the API serves it, or as a manifest has it. */
export function readSourceData({ kind, data, stringData }: JsonObject): SourceData {
  const texts = readTexts(data);
  if (kind !== 'Secret') return texts;
  const decoded = Object.entries(texts).map(([key, value]) => [key, decode(value)] as const);
  return { ...Object.fromEntries(decoded), ...readTexts(stringData) };
}

/** Bytes that are no text, such as a keystore, contain no name. */
function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}

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
      const known = sharers.get(sourceKey(source)) ?? new Set();
      sharers.set(sourceKey(source), known.add(workload));
    }
  }
  return sharers;
}
